import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { ObjectStorage } from './object-storage.ts';

/** Time in which the transaction that refers to a new object ends. */
export const uploadGraceMs = 60 * 60_000;

const batchSize = 100;

/** Lists an object that no row refers to any more; it is deleted after the transaction. */
export async function discardObject(
  transaction: Transaction<Schema>,
  objectKey: string,
): Promise<void> {
  await transaction
    .insertInto('discarded_objects')
    .values({ object_key: objectKey, discard_after: new Date().toISOString() })
    .execute();
}

/**
 * Deletes the objects whose time is over.
 *
 * @returns their number.
 * @throws HearthError `store_unavailable`; the signal's reason when aborted. The rest stays listed.
 */
export async function deleteDiscardedObjects(
  database: Kysely<Schema>,
  objects: ObjectStorage,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await database
      .selectFrom('discarded_objects')
      .where('discard_after', '<=', new Date().toISOString())
      .select('object_key')
      .orderBy('discard_after')
      .limit(batchSize)
      .execute();
    if (rows.length === 0) return count;
    for (const { object_key: key } of rows) {
      signal.throwIfAborted();
      await objects.delete(key);
      await database.deleteFrom('discarded_objects').where('object_key', '=', key).execute();
      count += 1;
    }
  }
}
