import { openSqlite } from '../../../src/platform/sqlite.ts';

/** Takes a database back to a schema before conversations existed. */
export function withoutConversations(file: string, version: number): void {
  const database = openSqlite(file);
  try {
    database.exec(`
      drop table conversation_search_terms;
      drop table conversation_search;
      drop table conversation_entries;
      drop table conversation_texts;
      drop table conversations;
      drop table files;
      drop table file_chunks;
      drop table batches;
      drop table batch_lines;
      drop table leases;
      drop table deletions;
      drop table background_turns;
      drop table background_events;
      drop table rate_limits;
      alter table downloads drop column home_id;
      alter table tokens drop column requests_per_minute;
      alter table tokens drop column tokens_per_minute;
      drop table discarded_objects;
      alter table blobs drop column object_key;
      update schema_version set version = ${version};
    `);
  } finally {
    database.close();
  }
}
