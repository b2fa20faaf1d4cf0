import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Transactions } from '../transactions.ts';
import type { BlobRepository, NewBlob } from '../store.ts';
import { type ObjectStorage, readObject } from './object-storage.ts';
import { randomBytes } from 'node:crypto';

/** Images by the SHA-256 of their bytes. */
export function createBlobRepository(
  database: Kysely<Schema>,
  objects?: ObjectStorage,
): BlobRepository {
  return {
    find: async (sha256) => {
      const row = await database
        .selectFrom('blobs')
        .where('sha256', '=', sha256)
        .select(['media_type', 'bytes', 'object_key'])
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const bytes =
        row.object_key === null ? row.bytes : await readObject(objects, row.object_key, sha256);
      return { sha256, mediaType: row.media_type, bytes };
    },
  };
}

const noBytes = new Uint8Array();

/** Adds rows for images that have none. Objects of images that already have a row stay discarded. */
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

/** An image and the place of its bytes. */
export interface PlacedBlob extends NewBlob {
  /** Key of the object with the bytes; null if the database has them. */
  readonly objectKey: string | null;
}

/** Uploads new images, or leaves them to the database. Runs before the transaction that refers to them. */
export type PlaceBlobs = (blobs: readonly NewBlob[]) => Promise<readonly PlacedBlob[]>;

/**
 * Uploads images that are not stored yet. An object is listed as discarded before its upload and until a row refers to
 * it, so that none is left if the process ends in between.
 */
export function createPlaceBlobs(
  transactions: Transactions,
  objects: ObjectStorage | undefined,
): PlaceBlobs {
  if (objects === undefined) {
    return async (blobs) => blobs.map((blob) => ({ ...blob, objectKey: null }));
  }
  return async (blobs) => {
    if (blobs.length === 0) return [];
    const placed = await transactions.add((transaction) => listObjects(transaction, blobs), {
      // After a lost connection, repeats the listing with new keys, since the first one may have been committed.
      findResult: async () => undefined,
    });
    for (const { objectKey, bytes, mediaType } of placed) {
      if (objectKey !== null) await objects.put(objectKey, bytes, mediaType);
    }
    return placed;
  };
}

/** Assigns an object to each image that is not stored yet, and lists it as discarded. */
async function listObjects(
  transaction: Transaction<Schema>,
  blobs: readonly NewBlob[],
): Promise<readonly PlacedBlob[]> {
  const stored = await storedHashes(transaction, blobs);
  const placed = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()].map((blob) => ({
    ...blob,
    // A stored image needs no object. If it is deleted in the meantime, the database keeps the bytes.
    // Each upload has its own key, so that the deletion of an older object does not affect it.
    objectKey: stored.has(blob.sha256) ? null : `${blob.sha256}-${randomBytes(6).toString('hex')}`,
  }));
  const discardAfter = new Date(Date.now() + uploadGraceMs).toISOString();
  const discarded = placed.flatMap(({ objectKey: key }) =>
    key === null ? [] : [{ object_key: key, discard_after: discardAfter }],
  );
  if (discarded.length > 0) {
    await transaction.insertInto('discarded_objects').values(discarded).execute();
  }
  return placed;
}

async function storedHashes(
  database: Kysely<Schema>,
  blobs: readonly NewBlob[],
): Promise<ReadonlySet<string>> {
  if (blobs.length === 0) return new Set();
  const rows = await database
    .selectFrom('blobs')
    .where(
      'sha256',
      'in',
      blobs.map((blob) => blob.sha256),
    )
    .select('sha256')
    .execute();
  return new Set(rows.map((row) => row.sha256));
}

/** Time within which the transaction that refers to a new object ends. */
const uploadGraceMs = 60 * 60_000;

const batchSize = 100;

/** Lists an object that no row refers to any more, to delete it after the transaction. */
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
 * Deletes discarded objects whose grace period is over.
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
