import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Reads the system prompts of responses, by id; null for a turn without one, or that can't be read. */
export type ReadSystemPrompts = (
  database: Kysely<Schema>,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

/** With the JSON functions of SQLite, without reading the rest of the turns. */
export const extractSystemPrompts: ReadSystemPrompts = async (database, ids) => {
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .select([
      'id',
      sql<string | null>`case when json_valid(content)
        then json_extract(content, '$.systemPrompt') end`.as('prompt'),
    ])
    .execute();
  return new Map(rows.map(({ id, prompt }) => [id, prompt]));
};
