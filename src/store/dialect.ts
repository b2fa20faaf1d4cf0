import type { Expression, Kysely, RawBuilder } from 'kysely';
import type { SchemaDialect } from './migrate.ts';
import type { Schema } from './schema.ts';

/** The present time in Unix milliseconds, as an SQL expression. All processes of a database share this clock. */
export type StoreClock = () => RawBuilder<number>;

/** Search for texts. Matches parts of words and ignores case. */
export interface TextSearch {
  /** A subquery for the entries whose text has all words; undefined if no text can have them. */
  entriesWith(
    database: Kysely<Schema>,
    words: readonly string[],
  ): Promise<Expression<number> | undefined>;
}

/** Reads system prompts by response id; null if the turn has none or can't be read. */
export type ReadSystemPrompts = (
  database: Kysely<Schema>,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

export interface StoreSize {
  /** Size of the database without its free pages and without batch files, which have their own limit. */
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/** The differences between the databases in tables and queries. See also `SchemaDialect`. */
export interface StoreDialect {
  readonly schema: SchemaDialect;
  readonly clock: StoreClock;
  readonly search: TextSearch;
  readonly readSystemPrompts: ReadSystemPrompts;
  readonly readSize: (database: Kysely<Schema>) => Promise<StoreSize>;
}
