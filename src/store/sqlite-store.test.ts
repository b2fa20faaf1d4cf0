import { chmod, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite, sqliteResultCodes, type SqliteConnection } from '../platform/sqlite.ts';
import { migrate } from './migrate.ts';
import { sqliteSchema } from './sqlite-dialect.ts';
import { createResponseRepository } from './response-repository.ts';
import type { Schema } from './schema.ts';
import { openSqliteFile } from './open-sqlite-file.ts';
import { SqliteConnectionDialect } from './sqlite-connection.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { StoreOpenError } from './store-errors.ts';
import type { StoredResponse } from './store.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'hearth.db');
});

const open = () => createSqliteStore({ file, logger: createLogger('silent') });

const response = (digit: string, content: string): StoredResponse => ({
  id: `resp_${digit.repeat(48)}`,
  parentId: null,
  ownerId: null,
  createdAt: new Date(0),
  modelKey: 'a/b',
  modelInstanceId: 'a/b',
  turn: conversationTurn({ systemPrompt: content }),
});

/** Runs `change` on the closed database. */
function tamper(change: (database: SqliteConnection) => unknown): void {
  const database = openSqlite(file);
  change(database);
  database.close();
}

describe('createSqliteStore', () => {
  it('keeps stored data when it is opened again', async () => {
    const first = await open();
    await first.responses.insert(response('1', 'hello'), []);
    await first.close();
    const second = await open();
    await second.ping();
    expect(await second.responses.find(response('1', '').id, null)).toEqual(response('1', 'hello'));
    await second.close();
    await expect(second.ping()).rejects.toThrow(/destroyed|not open/);
  });

  it.skipIf(process.platform === 'win32')(
    'creates files that other users cannot read',
    async () => {
      const store = await open();
      await store.responses.insert(response('1', 'hello'), []);
      const modes = await Promise.all(
        ['', '-wal', '-shm'].map(async (suffix) => (await stat(`${file}${suffix}`)).mode & 0o777),
      );
      expect(modes).toEqual([0o600, 0o600, 0o600]);
      await store.close();
    },
  );

  it('rejects a database of a newer version without changing it', async () => {
    await (await open()).close();
    tamper((database) => database.exec('update schema_version set version = 99'));
    await expect(open()).rejects.toThrow(
      `The database ${file} can't be used: it was written by a newer Hearth (schema 99; this one knows up to ${sqliteSchema.version}). Install that version again, or start with another home folder.`,
    );
    tamper((database) =>
      expect(database.prepare('select version from schema_version').get()).toEqual({ version: 99 }),
    );
  });

  it.each([
    ['junk', () => writeFile(file, 'this is not a database '.repeat(99))],
    ['a damaged schema', damageSchema],
    ['a cut-off file', cutOff],
  ])('names the file and the remedy if it is %s', async (_case, damage) => {
    await damage();
    const error: unknown = await open().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreOpenError);
    expect(error).toMatchObject({ isPermanent: true });
    expect(String(error)).toContain(`The database ${file} can't be used: it is damaged (`);
    expect(String(error)).toContain('Put a backup in its place, or move it away');
  });

  async function damageSchema(): Promise<void> {
    await (await open()).close();
    const bytes = await readFile(file, 'latin1');
    const damaged = bytes.replaceAll('CREATE TABLE "responses"', 'CREATE junk! "responses"');
    expect(damaged).not.toBe(bytes);
    await writeFile(file, damaged, 'latin1');
  }

  async function cutOff(): Promise<void> {
    await (await open()).close();
    await truncate(file, 4096);
  }

  it('explains what to check if the file cannot be opened', async () => {
    file = join(folder, 'missing', 'hearth.db');
    await expect(open()).rejects.toThrow(/ENOENT.*Check that its folder exists/);
    file = folder;
    await expect(open()).rejects.toThrow(/EISDIR.*Check that its folder exists/);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'explains what to check where the file is read-only',
    async () => {
      await (await open()).close();
      await chmod(file, 0o400);
      await expect(open()).rejects.toThrow(/EACCES.*may be written to/);
    },
  );
});

describe('migrate', () => {
  it('rolls back all steps if one fails', async () => {
    const database = new Kysely<Schema>({
      dialect: new SqliteConnectionDialect(openSqliteFile(file)),
    });
    const failing = {
      ...sqliteSchema,
      createSearch: [...sqliteSchema.createSearch, 'failing step'],
    };
    await expect(migrate(database, failing)).rejects.toThrow('syntax error');
    expect(await database.introspection.getTables()).toEqual([]);
    await database.destroy();
  });
});

describe('a full disk', () => {
  it('stores nothing of a failed write, and works again after space is freed', async () => {
    const connection = openSqliteFile(file);
    const database = new Kysely<Schema>({ dialect: new SqliteConnectionDialect(connection) });
    await migrate(database, sqliteSchema);
    const responses = createResponseRepository({ database, logger: createLogger('silent') });
    await responses.insert(response('1', 'first'), []);
    const { page_count: pages } = connection.prepare('pragma page_count').get() as {
      readonly page_count: number;
    };
    connection.exec(`pragma max_page_count = ${pages + 4}`);

    const large = response('2', 'x'.repeat(100_000));
    const blob = { sha256: 'f'.repeat(64), mediaType: 'image/png', bytes: Buffer.from('picture') };
    await expect(responses.insert(large, [blob])).rejects.toMatchObject({
      errcode: sqliteResultCodes.full,
    });
    expect(await responses.find(large.id, null)).toBeUndefined();
    expect(await database.selectFrom('blobs').select('sha256').execute()).toEqual([]);

    await responses.insert(response('3', 'small'), []);
    expect(await responses.delete(response('1', '').id, null)).toBe(true);
    connection.exec(`pragma max_page_count = ${pages + 1000}`);
    await responses.insert(large, [blob]);
    expect(await responses.find(large.id, null)).toEqual(large);
    await database.destroy();
  });
});

describe('SqliteConnectionDialect', () => {
  it('does not match text by the part before a NUL', async () => {
    const store = await open();
    const { id } = response('1', 'hello');
    await store.responses.insert(response('1', 'hello'), []);
    expect(await store.responses.find(`${id}\0more`, null)).toBeUndefined();
    expect(await store.responses.find(id, null)).toBeDefined();
    await store.close();
  });

  it('prepares more statements than it caches', async () => {
    const database = new Kysely<Schema>({
      dialect: new SqliteConnectionDialect(openSqliteFile(file)),
    });
    for (let round = 0; round < 2; round += 1) {
      for (let number = 0; number < 150; number += 1) {
        const { rows } = await sql`select ${sql.lit(number)} as number`.execute(database);
        expect(rows).toEqual([{ number }]);
      }
    }
    await database.destroy();
  });

  it('checkpoints the log when it closes', async () => {
    const store = await open();
    await store.responses.insert(response('1', 'hello'), []);
    await store.close();
    expect(await readFile(file, 'latin1')).toContain('hello');
  });
});
