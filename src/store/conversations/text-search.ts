import type { Expression, Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** How a database finds texts: parts of words match, capital and small letters are the same. */
export interface TextSearch {
  /** A subquery for the entries whose text has all words; undefined if no text can have them. */
  entriesWith(
    database: Kysely<Schema>,
    words: readonly string[],
  ): Promise<Expression<number> | undefined>;
}
