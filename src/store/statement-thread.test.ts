import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { useThreadScript } from '../../test/setup/store/thread-script.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import type { SqliteConnection } from '../platform/sqlite.ts';
import { openSqliteFile } from './open-sqlite-file.ts';
import { StatementThread } from './statement-thread.ts';

const script = useThreadScript();
let file: string;
let connection: SqliteConnection;

beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
  connection = openSqliteFile(file);
  connection.exec('create table notes (text)');
  onTestFinished(() => connection.close());
});

it('runs statements in their order on the database that this thread has open', async () => {
  const thread = new StatementThread(script.path, file);
  const replies = await Promise.all([
    thread.run(`insert into notes values ('from the thread')`),
    thread.run('select text from notes'),
  ]);
  expect(replies).toEqual([[], [{ text: 'from the thread' }]]);
  expect(connection.prepare('select text from notes').all()).toEqual([{ text: 'from the thread' }]);
  await thread.close();
  await thread.close();
});

it('starts again after it was closed', async () => {
  const thread = new StatementThread(script.path, file);
  const first = thread.run('select 1 as number');
  const closed = thread.close();
  const second = thread.run('select 2 as number');
  expect(await first).toEqual([{ number: 1 }]);
  expect(await second).toEqual([{ number: 2 }]);
  await closed;
  await thread.close();
});

it('rejects with the message of SQLite, and continues', async () => {
  const thread = new StatementThread(script.path, file);
  onTestFinished(() => thread.close());
  await expect(thread.run('select absent from notes')).rejects.toThrow('no such column: absent');
  expect(await thread.run('select count(*) as count from notes')).toEqual([{ count: 0 }]);
});

it('rejects all statements if the thread cannot start', async () => {
  const thread = new StatementThread(`${file}.absent.mjs`, file);
  const outcomes = await Promise.allSettled([thread.run('select 1'), thread.run('select 2')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await thread.close();
});

it('ends when it is idle, but not during work that holds it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const thread = new StatementThread(script.path, file);
  onTestFinished(() => thread.close());
  // It lives as long as the connection of the thread.
  const isRunning = async () => {
    const [row] = await thread.run(`select 1 from sqlite_temp_schema where name = 'mark'`);
    return row !== undefined;
  };
  await thread.hold(async () => {
    await thread.run('create temp table mark (text)');
    vi.advanceTimersByTime(60_000);
    expect(await isRunning()).toBe(true);
  });
  vi.advanceTimersByTime(4000);
  expect(await isRunning()).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(await isRunning()).toBe(false);
});

it('leaves the locks of the other connections unchanged', async () => {
  const thread = new StatementThread(script.path, file);
  connection.exec('begin immediate');
  await thread.run('pragma wal_checkpoint(passive)');
  await thread.close();
  expect(await errorElsewhere(file)).toContain('database is locked');
  connection.exec('commit');
  expect(await errorElsewhere(file)).toBe('');
});

/** Output of another process that writes to the database. */
async function errorElsewhere(database: string): Promise<string> {
  const program = `
    const { createRequire } = require('node:module');
    const { DatabaseSync } = createRequire(${JSON.stringify(import.meta.url)})('@photostructure/sqlite');
    new DatabaseSync(${JSON.stringify(database)}).exec('begin immediate');
  `;
  return promisify(execFile)(process.execPath, ['-e', program]).then(
    () => '',
    (error: { readonly stderr: string }) => error.stderr,
  );
}
