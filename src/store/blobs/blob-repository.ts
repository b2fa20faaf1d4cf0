import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { BlobRepository } from '../store.ts';
import type { ObjectStorage } from './object-storage.ts';
import { readObject } from './read-object.ts';

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
