import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { useThreadScript } from '../../test/setup/store/thread-script.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqliteFile } from './open-sqlite-file.ts';
import type { Schema } from './schema.ts';
import { SqliteConnectionDialect } from './sqlite-connection.ts';
import { StatementThread } from './statement-thread.ts';
import { threadTransactions } from './transactions.ts';

const script = useThreadScript();
const onCommit = vi.fn<() => void>();
const write = vi.fn<(line: string) => void>();

async function open(threadScript = script.path) {
  const file = join(await temporaryFolder(), 'hearth.db');
  const connection = openSqliteFile(file);
  connection.exec('create table notes (text text unique)');
  const database = new Kysely<Schema>({ dialect: new SqliteConnectionDialect(connection) });
  const thread = new StatementThread(threadScript, file);
  onTestFinished(async () => {
    await thread.close();
    await database.destroy();
  });
  const logger = createLogger('warn', { write });
  const transactions = threadTransactions({ database, thread, onCommit, logger });
  const notes = () =>
    connection.prepare('select text from notes order by rowid').all() as { text: unknown }[];
  return { transactions, notes };
}

const insert = (text: string) => sql`insert into notes values (${text})`;
/** Takes long. */
const counting = sql<{ readonly count: number }>`
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2000000)
  select count(*) as count from numbers`;

beforeEach(() => {
  onCommit.mockClear();
  write.mockClear();
});

describe('a long transaction', () => {
  it('leaves the event loop free, and other statements wait for it', async () => {
    const { transactions, notes } = await open();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    onTestFinished(() => clearInterval(timer));
    let short: Promise<unknown> | undefined;
    await transactions.changeLong(async (transaction) => {
      await insert('first').execute(transaction);
      short = transactions.change((other) => insert('second').execute(other));
      const before = turns;
      expect((await counting.execute(transaction)).rows).toEqual([{ count: 2_000_000 }]);
      expect(turns).toBeGreaterThan(before + 1);
    });
    await short;
    expect(notes()).toEqual([{ text: 'first' }, { text: 'second' }]);
    expect(onCommit).toHaveBeenCalledTimes(1);
  });

  it('reads what it wrote, and reports what it changed', async () => {
    const { transactions, notes } = await open();
    const changed = await transactions.changeLong(async (transaction) => {
      await insert('a\0b').execute(transaction);
      await insert('c').execute(transaction);
      const { rows } = await sql`select count(*) as count from notes`.execute(transaction);
      expect(rows).toEqual([{ count: 2 }]);
      return sql`delete from notes where text = 'c'`.execute(transaction);
    });
    expect(changed.numAffectedRows).toBe(1n);
    expect(notes()).toHaveLength(1);
  });

  it('leaves nothing of work that fails, with the error of SQLite', async () => {
    const { transactions, notes } = await open();
    const twice = transactions.add(
      async (transaction) => {
        await insert('twice').execute(transaction);
        await insert('twice').execute(transaction);
      },
      { isLong: true },
    );
    await expect(twice).rejects.toThrow('UNIQUE constraint failed');
    await transactions.changeLong((transaction) => insert('next').execute(transaction));
    expect(notes()).toEqual([{ text: 'next' }]);
    expect(onCommit).toHaveBeenCalledTimes(1);
  });

  it('stores nothing of its rest after SQLite has ended it', async () => {
    const { transactions, notes } = await open();
    const failed = transactions.changeLong(async (transaction) => {
      await sql`pragma max_page_count = 8`.execute(transaction);
      const sent = ['x'.repeat(100_000), 'small'].map((text) => insert(text).execute(transaction));
      for (const result of await Promise.allSettled(sent)) {
        if (result.status === 'rejected') throw result.reason;
      }
    });
    await expect(failed).rejects.toThrow('full');
    await transactions.changeLong((transaction) => insert('next').execute(transaction));
    expect(notes()).toEqual([{ text: 'next' }]);
  });

  it('reads what others wrote', async () => {
    const { transactions } = await open();
    await transactions.change((transaction) => insert('here').execute(transaction));
    const { rows } = await transactions.readLong((reader) =>
      sql`select text from notes`.execute(reader),
    );
    expect(rows).toEqual([{ text: 'here' }]);
  });

  it('keeps the thread between its statements', async () => {
    const { transactions, notes } = await open();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await transactions.changeLong(async (transaction) => {
      await insert('before the pause').execute(transaction);
      await vi.advanceTimersByTimeAsync(60_000);
      await insert('after it').execute(transaction);
    });
    expect(notes()).toHaveLength(2);
  });

  it('runs in this thread if the other one can not start, which is reported once', async () => {
    const { transactions, notes } = await open('/absent.mjs');
    await transactions.changeLong((transaction) => insert('first').execute(transaction));
    await transactions.changeLong((transaction) => insert('second').execute(transaction));
    await transactions.readLong((reader) => insert('third').execute(reader));
    expect(notes()).toHaveLength(3);
    expect(write).toHaveBeenCalledTimes(1);
    expect(write.mock.calls[0]?.[0]).toContain('the thread of the database failed');
  });
});
