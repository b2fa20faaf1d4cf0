import { sql, type Kysely } from 'kysely';
import { convertRows } from './convert/convert-rows.ts';
import type {
  ReadSystemPrompts,
  StoreClock,
  StoreDialect,
  StoreSize,
  TextSearch,
} from './dialect.ts';
import type { SchemaDialect } from './migrate.ts';
import type { Schema } from './schema.ts';

/** Shorter words are searched by the terms of the index that begin with them. */
const trigramLength = 3;
/** Maximum number of trigrams that a search for a shorter word uses. */
const maxTerms = 100;

export const sqliteSchema: SchemaDialect = {
  version: 12,
  types: {
    text: 'text',
    bytes: 'blob',
    integer: 'integer',
    bigint: 'bigint',
    'double precision': 'double precision',
    'entry number': 'integer primary key autoincrement',
    // A trigger deletes the texts with their entry.
    'entry reference': 'integer primary key',
  },
  columnsOf: (table) => `select name from pragma_table_info('${table}')`,
  createSearch: [
    // https://www.sqlite.org/fts5.html#external_content_tables
    `create virtual table conversation_search using fts5(
      text, content='conversation_texts', content_rowid='id', tokenize='trigram'
    )`,
    'create virtual table conversation_search_terms using fts5vocab(conversation_search, row)',
    `create trigger conversation_texts_insert after insert on conversation_texts begin
      insert into conversation_search(rowid, text) values (new.id, new.text);
    end`,
    `create trigger conversation_texts_delete after delete on conversation_texts begin
      insert into conversation_search(conversation_search, rowid, text) values ('delete', old.id, old.text);
    end`,
    `create trigger conversation_texts_update after update on conversation_texts begin
      insert into conversation_search(conversation_search, rowid, text) values ('delete', old.id, old.text);
      insert into conversation_search(rowid, text) values (new.id, new.text);
    end`,
    `create trigger conversation_entries_delete after delete on conversation_entries begin
      delete from conversation_texts where id = old.id;
    end`,
  ],
  convertRows,
};

/** Clock of a database that one process uses. It keeps running forward if the machine's clock is set back. */
const processClock: StoreClock = () =>
  sql.val(Math.round(performance.timeOrigin + performance.now()));

/** Searches with SQLite's full-text index. */
const fullTextSearch: TextSearch = {
  entriesWith: async (database, words) => {
    const match = await toFullTextQuery(database, words);
    return match === undefined
      ? undefined
      : sql<number>`(select rowid from conversation_search where conversation_search match ${match})`;
  },
};

/**
 * Builds a full-text query (https://www.sqlite.org/fts5.html#full_text_query_syntax) for texts with all words;
 * undefined if no text can have them. The index contains trigrams, not words. For a word of one or two characters, the
 * query has up to `maxTerms` of the trigrams that begin with the word.
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

/** Uses the JSON functions of SQLite, so that only the prompts are read from the turns. */
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

export async function storeSize(database: Kysely<Schema>): Promise<StoreSize> {
  const { rows } = await sql<{
    readonly pages: number;
    readonly free: number;
    readonly size: number;
    readonly files: number;
  }>`
    select page_count as pages, freelist_count as free, page_size as size,
      (select coalesce(sum(size_bytes), 0) from files)
        + (select coalesce(sum(size_bytes), 0) from vector_store_files) as files
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(database);
  const { pages = 0, free = 0, size = 0, files = 0 } = rows[0] ?? {};
  return { usedBytes: Math.max(0, (pages - free) * size - files), freeBytes: free * size };
}

export const sqliteDialect: StoreDialect = {
  schema: sqliteSchema,
  clock: processClock,
  search: fullTextSearch,
  readSystemPrompts: extractSystemPrompts,
  readSize: storeSize,
};
