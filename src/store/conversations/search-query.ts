import { sql, type Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { trigramLength } from './search-text.ts';
import type { TextSearch } from './text-search.ts';

const maxWords = 16;
/** Most trigrams that stand for a word shorter than one. */
const maxTerms = 100;

/** The words of a search; text of any form is allowed. */
export function wordsOf(search: string): readonly string[] {
  const words = search.toWellFormed().replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, maxWords);
}

/** Searches with the full-text index of SQLite. */
export const fullTextSearch: TextSearch = {
  entriesWith: async (database, words) => {
    const match = await toFullTextQuery(database, words);
    return match === undefined
      ? undefined
      : sql<number>`(select rowid from conversation_search where conversation_search match ${match})`;
  },
};

/**
 * A full-text query (https://www.sqlite.org/fts5.html#full_text_query_syntax) for texts with all words; undefined if
 * no text can have them. The index has no words but trigrams: a shorter word is found by those that begin with it, of
 * which one or two characters may have too many to try all.
 */
async function toFullTextQuery(
  database: Kysely<Schema>,
  words: readonly string[],
): Promise<string | undefined> {
  const conditions: string[] = [];
  for (const word of words) {
    if (Array.from(word).length >= trigramLength) {
      conditions.push(quote(word));
      continue;
    }
    const terms = await termsWith(database, word.toLowerCase());
    if (terms.length === 0) return undefined;
    conditions.push(`(${terms.map(quote).join(' OR ')})`);
  }
  return conditions.join(' AND ');
}

/** A string in quotation marks has no operators. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

async function termsWith(database: Kysely<Schema>, start: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly term: string }>`
    select term from conversation_search_terms
    where term >= ${start} and term < ${`${start}\u{10ffff}`} limit ${maxTerms}`.execute(database);
  return rows.map(({ term }) => term);
}
