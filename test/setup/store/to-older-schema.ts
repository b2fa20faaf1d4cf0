import { openSqlite } from '../../../src/platform/sqlite.ts';

/** SQL that undoes the changes of a schema version. */
const undo: Readonly<Record<number, string>> = {
  12: `
    drop table passage_blocks;
    drop table vector_store_files;
    drop table vector_stores;
    drop table usage;
    alter table tokens drop column requests_per_day;
    alter table tokens drop column tokens_per_day;
    alter table tokens drop column models;
    alter table tokens drop column priority;
    alter table rate_limits drop column quota_day;
    alter table rate_limits drop column day_requests;
    alter table rate_limits drop column day_tokens;`,
  11: `
    drop index conversations_by_project;
    drop index temporary_conversations;
    drop index conversations_by_import;
    alter table conversations drop column project_id;
    alter table conversations drop column is_archived;
    alter table conversations drop column is_temporary;
    alter table conversations drop column import_hash;
    drop table project_files;
    drop table projects;
    drop table sessions;
    drop table sign_in_codes;`,
  10: `
    drop table tool_approvals;
    drop table waiting_calls;
    drop table named_records;`,
  9: `
    drop table discarded_objects;
    alter table blobs drop column object_key;`,
  8: `
    drop table leases;
    drop table deletions;
    drop table background_turns;
    drop table background_events;
    drop table rate_limits;
    alter table downloads drop column home_id;
    alter table tokens drop column requests_per_minute;
    alter table tokens drop column tokens_per_minute;
    alter table batches add column lease_holder text;
    alter table batches add column lease_until text;`,
  7: `
    drop table files;
    drop table file_chunks;
    drop table batches;
    drop table batch_lines;`,
  6: 'alter table conversations drop column metadata;',
  5: `
    drop table conversation_search_terms;
    drop table conversation_search;
    drop table conversation_entries;
    drop table conversation_texts;
    drop table conversations;`,
  // Versions 3 and 4 only changed turns.
  2: 'drop table downloads;',
};

/** Converts a database with the newest schema to an older version; its turns keep their format. */
export function toOlderSchema(file: string, version: number): void {
  const database = openSqlite(file);
  try {
    for (let newest = 12; newest > version; newest -= 1) database.exec(undo[newest] ?? '');
    database.exec(`update schema_version set version = ${version}`);
  } finally {
    database.close();
  }
}
