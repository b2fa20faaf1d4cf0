import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { PlacedBlob } from './place-blobs.ts';

const noBytes = new Uint8Array();

/** Adds rows for images that have none. The object of another row stays discarded. */
export async function insertBlobs(
  transaction: Transaction<Schema>,
  blobs: readonly PlacedBlob[],
): Promise<void> {
  for (const { sha256, mediaType, bytes, objectKey } of blobs) {
    const inserted = await transaction
      .insertInto('blobs')
      .values({
        sha256,
        media_type: mediaType,
        bytes: objectKey === null ? bytes : noBytes,
        object_key: objectKey,
      })
      .onConflict((conflict) => conflict.column('sha256').doNothing())
      .returning('sha256')
      .executeTakeFirst();
    if (inserted === undefined || objectKey === null) continue;
    await transaction.deleteFrom('discarded_objects').where('object_key', '=', objectKey).execute();
  }
}
