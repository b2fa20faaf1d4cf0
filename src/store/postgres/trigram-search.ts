import { sql } from 'kysely';
import type { TextSearch } from '../conversations/text-search.ts';

/**
 * Searches parts of words with the trigrams of https://www.postgresql.org/docs/current/pgtrgm.html. Words of one or two
 * characters have no trigrams: all texts are read for them.
 */
export const trigramSearch: TextSearch = {
  entriesWith: async (_database, words) => {
    const conditions = words.map((word) => sql`text ilike ${`%${escapeLike(word)}%`}`);
    return sql<number>`(select id from conversation_texts where ${sql.join(conditions, sql` and `)})`;
  },
};

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
