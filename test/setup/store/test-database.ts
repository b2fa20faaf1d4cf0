import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import type { Logger } from '../../../src/kernel/logger.ts';
import { openSqlite } from '../../../src/platform/sqlite.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { templateDatabase } from '../postgres/global-setup.ts';

type Rows = readonly Record<string, unknown>[];

type ImageStorage = Pick<Parameters<typeof openStore>[0], 'objects'>;

/** An empty database that is removed after the test. */
export interface TestDatabase {
  readonly url: string;
  readonly open: (logger: Logger, images?: ImageStorage) => Promise<Store>;
  /** Reads or changes the database without the repositories. */
  readonly query: (text: string) => Promise<Rows>;
  /** Throws if the database is damaged or a row refers to a missing row. */
  readonly assertSound: () => Promise<void>;
}

/** SQLite; in the project `postgres`, PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  // Undefined in projects other than `postgres`.
  const folder = inject('postgresFolder') as string | undefined;
  return folder === undefined ? sqliteDatabase() : postgresDatabase(folder);
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const url = join(await temporaryFolder(), 'hearth.db');
  const query = async (text: string): Promise<Rows> => {
    const database = openSqlite(url);
    try {
      return database.prepare(text).all() as Rows;
    } finally {
      database.close();
    }
  };
  return {
    url,
    open: (logger, images = {}) => openStore({ url, logger, maxConnections: 1, ...images }),
    query,
    assertSound: async () => {
      expect(await query('pragma foreign_key_check')).toEqual([]);
      expect(await query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await query(
        `insert into conversation_search(conversation_search) values ('integrity-check')`,
      );
    },
  };
}

/** A new database on the project's server. */
export async function postgresDatabase(
  folder: string = inject('postgresFolder'),
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const urlOf = (database: string) =>
    `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`;
  const run = async (database: string, text: string): Promise<Rows> => {
    const client = new Client({ connectionString: urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  await run('postgres', `create database ${name} template ${templateDatabase}`);
  onTestFinished(async () => {
    await run('postgres', `drop database ${name} with (force)`);
  });
  const url = urlOf(name);
  return {
    url,
    open: (logger, images = {}) => openStore({ url, logger, maxConnections: 5, ...images }),
    query: (text) => run(name, text),
    // PostgreSQL's constraints ensure it.
    assertSound: async () => {},
  };
}
