import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import {
  openSqlite,
  sqliteResultCode,
  sqliteResultCodes,
  type SqliteConnection,
} from './sqlite.ts';

let file: string;
let connection: SqliteConnection;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'test.db');
  connection = openSqlite(file);
});
afterEach(() => connection.close());

it('has a SQLite without the WAL-reset bug', () => {
  const { version } = connection.prepare('select sqlite_version() as version').get() as {
    readonly version: string;
  };
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  expect(major * 1_000_000 + minor * 1000 + patch).toBeGreaterThanOrEqual(3_051_003);
});

it('searches text by words and by parts of words', () => {
  connection.exec(`create virtual table notes using fts5(text, tokenize = 'trigram')`);
  connection.prepare('insert into notes values (?)').run('a conversation about sailing');
  const search = connection.prepare('select text from notes where notes match ?');
  expect(search.all('versat')).toEqual([{ text: 'a conversation about sailing' }]);
  expect(search.all('flying')).toEqual([]);
});

it('tells statements that return rows from those that return none', () => {
  connection.exec('create table t (a, b)');
  expect(connection.prepare('select a, b from t').columns()).toHaveLength(2);
  expect(connection.prepare('insert into t values (1, 2) returning a').columns()).toHaveLength(1);
  expect(connection.prepare('insert into t values (1, 2)').columns()).toHaveLength(0);
});

it('knows whether a transaction is open', () => {
  expect(connection.isTransaction).toBe(false);
  connection.exec('begin');
  expect(connection.isTransaction).toBe(true);
  connection.exec('rollback');
  expect(connection.isTransaction).toBe(false);
});

it('gives the result code of what SQLite reports, and of nothing else', () => {
  connection.exec('create table t (a unique); begin exclusive');
  const other = openSqlite(file, { lockWaitMs: 10 });
  const codeOf = (act: () => unknown) => {
    try {
      act();
      return 'no error';
    } catch (error) {
      return sqliteResultCode(error);
    }
  };
  expect(codeOf(() => other.exec('begin exclusive'))).toBe(sqliteResultCodes.busy);
  expect(codeOf(() => other.prepare('select * from t').all())).toBe(sqliteResultCodes.busy);
  other.close();
  const insert = connection.prepare('insert into t values (1)');
  insert.run();
  const constraint = 19;
  expect(codeOf(() => insert.run())).toBe(constraint);
  expect(sqliteResultCode(new Error('database is far away'))).toBeUndefined();
  expect(sqliteResultCode('database is locked')).toBeUndefined();
});

it('writes nothing through a read-only connection', () => {
  connection.exec('create table t (a)');
  const reader = openSqlite(file, { isReadOnly: true });
  expect(() => reader.exec('insert into t values (1)')).toThrow('readonly');
  expect(reader.prepare('select * from t').all()).toEqual([]);
  reader.close();
});
