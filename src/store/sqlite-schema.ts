import { convertRows } from './convert/convert-rows.ts';
import type { SchemaDialect } from './migrate.ts';

export const sqliteSchema: SchemaDialect = {
  version: 9,
  types: {
    text: 'text',
    bytes: 'blob',
    integer: 'integer',
    bigint: 'bigint',
    'double precision': 'double precision',
    'entry number': 'integer primary key autoincrement',
    // A trigger deletes the texts.
    'entry reference': 'integer primary key',
  },
  columnsOf: (table) => `select name from pragma_table_info('${table}')`,
  search: [
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
