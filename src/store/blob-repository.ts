import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { BlobRepository } from './store.ts';

/** Images by the SHA-256 of their bytes. */
export function createBlobRepository(database: Kysely<Schema>): BlobRepository {
  return {
    find: async (sha256) => {
      const row = await database
        .selectFrom('blobs')
        .where('sha256', '=', sha256)
        .select(['media_type', 'bytes'])
        .executeTakeFirst();
      return row && { sha256, mediaType: row.media_type, bytes: row.bytes };
    },
  };
}
