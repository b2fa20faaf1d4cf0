import { sql, type Kysely } from 'kysely';
import type { StoreSize } from '../reclaim-space.ts';
import type { Schema } from '../schema.ts';

/** The text and its trigrams take about three times the size of the text. */
const textFactor = 3;

/**
 * The size of the rows as they are stored, which deletions reduce at once; files keep their size until PostgreSQL fills
 * or truncates them. Reads the rows, but not their long values.
 */
export async function postgresSize(database: Kysely<Schema>): Promise<StoreSize> {
  const { rows } = await sql<{ readonly used: number; readonly total: number }>`
    select
      (select coalesce(sum(pg_column_size(content)), 0) from responses)
      + (select coalesce(sum(pg_column_size(bytes)), 0) from blobs)
      + (select coalesce(sum(pg_column_size(text)), 0) from conversation_texts) * ${sql.lit(textFactor)} as used,
      pg_total_relation_size('responses') + pg_total_relation_size('blobs')
      + pg_total_relation_size('conversation_texts') as total`.execute(database);
  const { used = 0, total = 0 } = rows[0] ?? {};
  return { usedBytes: used, freeBytes: Math.max(0, total - used) };
}
