import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import type { SqliteConnection } from '../platform/sqlite.ts';
import type { Schema } from './schema.ts';
import { openAnotherConnection, openSqliteFile } from './open-sqlite-file.ts';
import { SqliteConnectionDialect } from './sqlite-connection.ts';

let file: string;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
});

const databaseOf = (connection: SqliteConnection) =>
  new Kysely<Schema>({ dialect: new SqliteConnectionDialect(connection) });

describe('openSqliteFile', () => {
  it('sets the journal, the durability and the time to wait for a lock', () => {
    const connection = openSqliteFile(file);
    const names = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'secure_delete'];
    const settings = names.map((name) =>
      Object.values(connection.prepare(`pragma ${name}`).get() as object),
    );
    connection.close();
    // `synchronous = 1` is `normal`; docs/adr/0003 has the reasons.
    // `secure_delete = 2` is `fast`.
    expect(settings.flat()).toEqual(['wal', 1, 1, 2000, 2]);
  });

  it('gives the space of the log back after a long transaction, in the thread', async () => {
    const connection = openSqliteFile(file);
    const ofThread = openAnotherConnection(file);
    connection.exec('create table texts (text); insert into texts values (zeroblob(40000000))');
    const sizeOfLog = async () => (await stat(`${file}-wal`)).size;
    expect(await sizeOfLog()).toBeGreaterThan(40_000_000);
    const restart = 'pragma wal_checkpoint(passive); insert into texts values (1)';
    connection.exec(restart);
    expect(await sizeOfLog()).toBeGreaterThan(40_000_000);
    ofThread.exec(restart);
    expect(await sizeOfLog()).toBeLessThan(20_000_000);
    ofThread.close();
    connection.close();
  });

  it('throws the error of a file that is not a database', async () => {
    await writeFile(file, 'this is not a database '.repeat(99));
    expect(() => openSqliteFile(file)).toThrow('file is not a database');
  });
});

describe('SqliteConnectionDialect', () => {
  /** A connection that counts how often each statement is prepared. */
  const counting = (connection: SqliteConnection) => {
    const counts = new Map<string, number>();
    const counted: SqliteConnection = {
      get isOpen() {
        return connection.isOpen;
      },
      get isTransaction() {
        return connection.isTransaction;
      },
      exec: (text) => connection.exec(text),
      close: () => connection.close(),
      prepare: (text) => {
        counts.set(text, (counts.get(text) ?? 0) + 1);
        return connection.prepare(text);
      },
    };
    return { counted, countOf: (number: number) => counts.get(textOf(number)) };
  };
  const textOf = (number: number) => `select ${number} as number`;

  it('prepares the hundred most recently used statements once', async () => {
    const { counted, countOf } = counting(openSqliteFile(file));
    const database = databaseOf(counted);
    const run = (number: number) => sql`select ${sql.lit(number)} as number`.execute(database);
    for (let number = 1; number <= 100; number += 1) await run(number);
    for (let number = 1; number <= 100; number += 1) await run(number);
    expect([countOf(1), countOf(50), countOf(100)]).toEqual([1, 1, 1]);
    // The least recently used statement makes room: it is 2, as 1 was used after it.
    await run(1);
    await run(101);
    for (const number of [1, 3, 101]) await run(number);
    expect([countOf(1), countOf(2), countOf(3), countOf(101)]).toEqual([1, 1, 1, 1]);
    await run(2);
    expect(countOf(2)).toBe(2);
    await database.destroy();
  });

  it('streams rows, also after a stream that was left early', async () => {
    const database = databaseOf(openSqliteFile(file));
    await database.schema.createTable('tokens').addColumn('id', 'text').execute();
    for (const id of ['a', 'b', 'c']) {
      await sql`insert into tokens (id) values (${id})`.execute(database);
    }
    const query = database.selectFrom('tokens').where('id', '!=', 'c').select('id').orderBy('id');
    for await (const row of query.stream()) {
      expect(row).toEqual({ id: 'a' });
      break;
    }
    const rows: unknown[] = [];
    for await (const row of query.stream()) rows.push(row);
    expect(rows).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(await query.execute()).toEqual([{ id: 'a' }, { id: 'b' }]);
    await database.destroy();
  });

  it('stores nothing of a transaction after SQLite has ended it', async () => {
    const connection = openSqliteFile(file);
    connection.exec('create table texts (text); pragma max_page_count = 8');
    const database = databaseOf(connection);
    const add = (text: string) => sql`insert into texts values (${text})`;
    const transaction = database.transaction().execute(async (inside) => {
      const sent = ['x'.repeat(100_000), 'small'].map((text) => add(text).execute(inside));
      for (const result of await Promise.allSettled(sent)) {
        if (result.status === 'rejected') throw result.reason;
      }
    });
    await expect(transaction).rejects.toThrow('full');
    await add('next').execute(database);
    const { rows } = await sql`select text from texts`.execute(database);
    expect(rows).toEqual([{ text: 'next' }]);
    await database.destroy();
  });

  it('closes the connection, and accepts one that is closed already', async () => {
    const connection = openSqliteFile(file);
    const database = databaseOf(connection);
    await sql`select 1`.execute(database);
    await database.destroy();
    expect(connection.isOpen).toBe(false);
    const other = openSqliteFile(file);
    const second = databaseOf(other);
    await sql`select 1`.execute(second);
    other.close();
    await expect(second.destroy()).resolves.toBeUndefined();
  });
});
