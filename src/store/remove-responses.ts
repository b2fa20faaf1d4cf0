import type { Transaction } from 'kysely';
import { discardObject } from './blobs/discarded-objects.ts';
import { inBatches } from './in-batches.ts';
import type { Schema } from './schema.ts';

/**
 * Removes the rows of responses, with their entries and the images that no other response uses.
 *
 * @param ids Children before parents; no other response continues them.
 */
export async function removeResponses(
  transaction: Transaction<Schema>,
  ids: readonly string[],
): Promise<void> {
  for await (const batch of inBatches(ids)) {
    const references = await transaction
      .deleteFrom('response_blobs')
      .where('response_id', 'in', batch)
      .returning('sha256')
      .execute();
    await transaction
      .deleteFrom('conversation_entries')
      .where('response_id', 'in', batch)
      .execute();
    await transaction.deleteFrom('responses').where('id', 'in', batch).execute();
    for (const sha256 of new Set(references.map((reference) => reference.sha256))) {
      await deleteBlobIfUnused(transaction, sha256);
    }
  }
}

/** Deletes an image that no response uses. */
export async function deleteBlobIfUnused(
  transaction: Transaction<Schema>,
  sha256: string,
): Promise<void> {
  const deleted = await transaction
    .deleteFrom('blobs')
    .where('sha256', '=', sha256)
    .where('sha256', 'not in', (query) =>
      query.selectFrom('response_blobs').where('sha256', '=', sha256).select('sha256'),
    )
    .returning('object_key')
    .executeTakeFirst();
  if (deleted?.object_key != null) await discardObject(transaction, deleted.object_key);
}
