import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { NewBlob } from '../stored-response.ts';
import { uploadGraceMs } from './discarded-objects.ts';
import type { ObjectStorage } from './object-storage.ts';

/** An image and where its bytes are. */
export interface PlacedBlob extends NewBlob {
  /** The object that has the bytes; null if the database has them. */
  readonly objectKey: string | null;
}

/** Puts new images where their bytes belong, before the transaction that refers to them. */
export type PlaceBlobs = (blobs: readonly NewBlob[]) => Promise<readonly PlacedBlob[]>;

/**
 * Uploads images that are not stored yet. An object is listed as discarded before its upload, and no longer once a row
 * refers to it, so that none is left when the process ends in between.
 */
export function createPlaceBlobs(
  database: Kysely<Schema>,
  objects: ObjectStorage | undefined,
): PlaceBlobs {
  if (objects === undefined) {
    return async (blobs) => blobs.map((blob) => ({ ...blob, objectKey: null }));
  }
  return async (blobs) => {
    const stored = await storedHashes(database, blobs);
    const placed = new Map<string, PlacedBlob>();
    for (const blob of blobs) {
      const { sha256, bytes, mediaType } = blob;
      if (placed.has(sha256)) continue;
      if (stored.has(sha256)) {
        // Its row has a key; should it be deleted meanwhile, the database keeps the bytes.
        placed.set(sha256, { ...blob, objectKey: null });
        continue;
      }
      // Each upload has a key of its own, so that deleting an older object never concerns it.
      const objectKey = `${sha256}-${randomBytes(6).toString('hex')}`;
      const discardAfter = new Date(Date.now() + uploadGraceMs).toISOString();
      await database
        .insertInto('discarded_objects')
        .values({ object_key: objectKey, discard_after: discardAfter })
        .execute();
      await objects.put(objectKey, bytes, mediaType);
      placed.set(sha256, { ...blob, objectKey });
    }
    return [...placed.values()];
  };
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
