import { openSqlite } from '../../../src/sqlite.ts';

/** Takes a database back to a schema before conversations existed. */
export function withoutConversations(file: string, version: number): void {
  const database = openSqlite(file);
  try {
    database.exec(`
      drop table conversation_search_terms;
      drop table conversation_search;
      drop table conversation_entries;
      drop table conversations;
      update schema_version set version = ${version};
    `);
  } finally {
    database.close();
  }
}
