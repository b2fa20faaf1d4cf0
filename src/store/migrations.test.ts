import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toOlderSchema } from '../../test/setup/store/to-older-schema.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite } from '../platform/sqlite.ts';
import { NewerSchemaError } from './migrate.ts';
import { sqliteSchema } from './sqlite-dialect.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { StoreOpenError } from './store-errors.ts';

let file: string;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
});

/** Opens and closes the store; returns the lines that it logs. */
async function openOnce(): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  await (await createSqliteStore({ file, logger: createLogger('info', { write }) })).close();
  return lines;
}

function query(text: string): readonly Record<string, unknown>[] {
  const database = openSqlite(file);
  try {
    return database.prepare(text).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

describe('the schema', () => {
  it('is migrated once, which the log says', async () => {
    expect(await openOnce()).toEqual([
      expect.objectContaining({
        level: 'info',
        msg: 'database schema migrated',
        file,
        from: 0,
        to: sqliteSchema.version,
      }),
    ]);
    expect(await openOnce()).toEqual([]);
    toOlderSchema(file, 2);
    expect(await openOnce()).toEqual([
      expect.objectContaining({ backup: `${file}.schema-2.bak` }),
      expect.objectContaining({ from: 2, to: sqliteSchema.version }),
    ]);
    expect(query('select version from schema_version')).toEqual([
      { version: sqliteSchema.version },
    ]);
  });

  it('has the indexes and keys that queries and conversions rely on', async () => {
    await openOnce();
    const indexes = query(
      `select tbl_name || '.' || name as name from sqlite_master where type = 'index' and sql is not null order by 1`,
    );
    expect(indexes.map(({ name }) => name)).toEqual([
      'batches.batches_by_owner_and_time',
      'conversation_entries.conversation_entries_by_conversation',
      'conversations.conversations_by_import',
      'conversations.conversations_by_owner_and_time',
      'conversations.conversations_by_project',
      'conversations.conversations_by_time',
      'conversations.temporary_conversations',
      'downloads.downloads_by_time',
      'files.files_by_owner_and_time',
      'project_files.project_files_by_project',
      'projects.projects_by_owner',
      'response_blobs.response_blobs_by_blob',
      'responses.responses_by_owner_and_time',
      'responses.responses_by_parent',
      'sessions.sessions_by_token',
      'vector_store_files.vector_store_files_by_file',
      'vector_store_files.vector_store_files_in_progress',
      'vector_stores.vector_stores_by_owner_and_time',
    ]);
    const tables = query(`select sql from sqlite_master where type = 'table' order by name`);
    const keys = tables.flatMap(
      ({ sql }) => /constraint .* primary key \([^)]*\)/.exec(String(sql)) ?? [],
    );
    expect(keys).toEqual([
      'constraint "background_events_key" primary key ("response_id", "first_sequence")',
      'constraint "batch_lines_key" primary key ("batch_id", "line")',
      'constraint "file_chunks_key" primary key ("file_id", "position")',
      'constraint "named_records_key" primary key ("kind", "owner_id", "name")',
      'constraint "passage_blocks_key" primary key ("vector_store_id", "file_id", "position")',
      'constraint "response_blobs_key" primary key ("response_id", "sha256")',
      'constraint "tool_approvals_key" primary key ("owner_id", "plugin_id", "tool")',
      'constraint "usage_key" primary key ("day", "token_id", "model_key")',
      'constraint "vector_store_files_key" primary key ("vector_store_id", "file_id")',
    ]);
  });
});

describe('a database that cannot be used', () => {
  it('is named in an error with its cause', async () => {
    await openOnce();
    query('update schema_version set version = 99');
    const error: unknown = await openOnce().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreOpenError);
    const { name, cause } = error as StoreOpenError;
    expect(name).toBe('StoreOpenError');
    expect(cause).toBeInstanceOf(NewerSchemaError);
    expect((cause as NewerSchemaError).name).toBe('NewerSchemaError');
  });
});
