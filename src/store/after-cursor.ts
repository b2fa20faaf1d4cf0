import { type Expression, type Kysely, sql, type SqlBool } from 'kysely';
import type { Schema } from './schema.ts';
import { HearthError } from '../kernel/errors/errors.ts';

/** Creation time of an owner's item, which may be a tombstone; undefined if there is no such item. */
export async function creationTime(
  database: Kysely<Schema>,
  table: 'responses' | 'files' | 'batches' | 'vector_stores',
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

interface Cursor {
  /** Id of the previous page's last item. */
  readonly after: string;
  readonly ownerId: string | null;
  readonly order: 'asc' | 'desc';
}

/** Matches the items after the previous page, in the order of their creation. @throws HearthError `invalid_value`. */
export async function afterCursor(
  database: Kysely<Schema>,
  table: 'files' | 'batches' | 'vector_stores',
  { after, ownerId, order }: Cursor,
): Promise<Expression<SqlBool>> {
  const time = await creationTime(database, table, after, ownerId);
  if (time === undefined) {
    throw new HearthError(
      'invalid_value',
      `\`after\` is ${JSON.stringify(after.slice(0, 100))}, which does not exist (any more). Start again from the first page.`,
      { param: 'after' },
    );
  }
  const isAfter = sql.raw(order === 'asc' ? '>' : '<');
  return sql<SqlBool>`(created_at, id) ${isAfter} (${time}, ${after})`;
}
