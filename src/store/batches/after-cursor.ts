import { sql, type Expression, type Kysely, type SqlBool } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import { creationTime } from '../creation-time.ts';
import type { Schema } from '../schema.ts';

interface Cursor {
  /** Id of the last item of the page before. */
  readonly after: string;
  readonly ownerId: string | null;
  readonly order: 'asc' | 'desc';
}

/** Matches the items after those of the page before, in the order of their creation. @throws HearthError `invalid_value`. */
export async function afterCursor(
  database: Kysely<Schema>,
  table: 'files' | 'batches',
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
