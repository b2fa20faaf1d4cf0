import type { Kysely } from 'kysely';
import { HearthError } from '../../contract/errors.ts';
import type { Schema } from '../schema.ts';

/** The creation time of the last item of the page before. @throws HearthError `invalid_value`. */
export async function cursorTime(
  database: Kysely<Schema>,
  table: 'files' | 'batches',
  id: string,
  ownerId: string | null,
): Promise<string> {
  const row = await database
    .selectFrom(table)
    .where('id', '=', id)
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .select('created_at')
    .executeTakeFirst();
  if (row !== undefined) return row.created_at;
  throw new HearthError(
    'invalid_value',
    `\`after\` is ${JSON.stringify(id.slice(0, 100))}, which does not exist (any more). Start again from the first page.`,
    { param: 'after' },
  );
}
