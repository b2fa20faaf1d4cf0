import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** When an item of an owner was created, also if it is a tombstone; undefined if it does not exist. */
export async function creationTime(
  database: Kysely<Schema>,
  table: 'responses' | 'files' | 'batches',
  id: string,
  ownerId: string | null,
): Promise<string | undefined> {
  const row = await database
    .selectFrom(table)
    .where('id', '=', id)
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .select('created_at')
    .executeTakeFirst();
  return row?.created_at;
}
