import type { Expression, Kysely, RawBuilder } from 'kysely';
import type { SchemaDialect } from './migrate.ts';
import type { Schema } from './schema.ts';

/** The present time in Unix milliseconds, as an expression: one clock for all processes of a database. */
export type StoreClock = () => RawBuilder<number>;

/** How a database finds texts: parts of words match, capital and small letters are the same. */
export interface TextSearch {
  /** A subquery for the entries whose text has all words; undefined if no text can have them. */
  entriesWith(
    database: Kysely<Schema>,
    words: readonly string[],
  ): Promise<Expression<number> | undefined>;
}

/** Reads the system prompts of responses, by id; null for a turn without one, or that can't be read. */
export type ReadSystemPrompts = (
  database: Kysely<Schema>,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

export interface StoreSize {
  /** Size of the database without its free pages and the files of batches, which have their own limit. */
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/** The differences between the databases in tables and queries. */
export interface StoreDialect {
  readonly schema: SchemaDialect;
  readonly clock: StoreClock;
  readonly search: TextSearch;
  readonly readSystemPrompts: ReadSystemPrompts;
  readonly readSize: (database: Kysely<Schema>) => Promise<StoreSize>;
}
