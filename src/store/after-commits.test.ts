import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { useThreadScript } from '../../test/setup/store/thread-script.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite, sqliteResultCodes, type SqliteConnection } from '../platform/sqlite.ts';
import { AfterCommits } from './after-commits.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { StatementThread } from './statement-thread.ts';
import type { Store } from './store.ts';

const script = useThreadScript();
/** A machine that runs tests may be busy. */
const patience = { timeout: 20_000 };
let file: string;

beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
});

/** Stores conversations of one turn with a text of some characters each. */
async function say(store: Store, count: number, length: number, first = 0): Promise<void> {
  for (let index = first; index < first + count; index += 1) {
    const text = Array.from({ length: length / 8 }, (_, word) =>
      ((index + 1) * (word + 7919) * 104_729).toString(36),
    ).join(' ');
    await store.responses.insert(
      {
        id: `resp_${(index + 1).toString(16).padStart(48, '0')}`,
        parentId: null,
        ownerId: null,
        createdAt: new Date(),
        modelKey: 'm',
        modelInstanceId: 'm',
        turn: conversationTurn({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
      },
      [],
    );
  }
}

function query(statement: string): Readonly<Record<string, number>> {
  const connection = openSqlite(file);
  try {
    return connection.prepare(statement).get() as Record<string, number>;
  } finally {
    connection.close();
  }
}

const indexParts = () =>
  query('select count(distinct segid) as count from conversation_search_idx')['count'];

describe('the work after commits', () => {
  it('waits for the next commit while a transaction is open', async () => {
    const connection = openSqlite(file);
    connection.exec('pragma journal_mode = wal; create table texts (text)');
    const logger = createLogger('silent');
    const warn = vi.spyOn(logger, 'warn');
    const run = vi.fn<StatementThread['run']>(async () => []);
    const afterCommits = new AfterCommits(connection, logger);
    afterCommits.start({ thread: { run }, mergeIndex: async () => {} });
    connection.exec('insert into texts values (zeroblob(8000000))');
    connection.exec('begin; insert into texts values (1)');
    const passed = vi.spyOn(connection, 'prepare');
    afterCommits.noteCommit();
    await expect.poll(() => passed.mock.calls.length, patience).toBe(1);
    connection.exec('commit');
    afterCommits.noteCommit();
    await expect.poll(() => run.mock.calls, patience).toEqual([['pragma wal_checkpoint(passive)']]);
    expect(warn).not.toHaveBeenCalled();
    await afterCommits.close();
    connection.close();
  });
});

describe('merging the search index', () => {
  let connection: SqliteConnection;
  let afterCommits: AfterCommits;
  const mergeIndex = vi.fn<() => Promise<void>>();
  const warn = vi.fn<(line: string) => void>();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    connection = openSqlite(file);
    connection.exec('pragma journal_mode = wal');
    mergeIndex.mockReset().mockResolvedValue();
    warn.mockReset();
    afterCommits = new AfterCommits(connection, createLogger('warn', { write: warn }));
    afterCommits.start({ thread: { run: async () => [] }, mergeIndex });
  });
  afterEach(async () => {
    await afterCommits.close();
    connection.close();
    vi.useRealTimers();
  });

  async function commit(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) afterCommits.noteCommit();
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
    await vi.advanceTimersByTimeAsync(1000);
  }

  /** Pages of the log at which SQLite copies it within a commit. */
  const automaticCopy = () => connection.prepare('pragma wal_autocheckpoint').get();

  it('waits for a number of commits', async () => {
    await commit(15);
    expect(mergeIndex).not.toHaveBeenCalled();
    await commit(1);
    expect(mergeIndex).toHaveBeenCalledTimes(1);
    await commit(15);
    expect(mergeIndex).toHaveBeenCalledTimes(1);
  });

  it('is not begun after the store was closed', async () => {
    afterCommits.noteCommit();
    await afterCommits.close();
    await commit(16);
    expect(mergeIndex).not.toHaveBeenCalled();
  });

  it('is repeated after a commit that comes meanwhile', async () => {
    let finish = (): void => {};
    mergeIndex.mockReturnValueOnce(new Promise((resolve) => void (finish = resolve)));
    await commit(16);
    await commit(16);
    expect(mergeIndex).toHaveBeenCalledTimes(1);
    finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(mergeIndex).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['another process writes', sqliteResultCodes.busy],
    ['the connection has a transaction', sqliteResultCodes.locked],
  ])('is tried again if %s', async (_case, errcode) => {
    mergeIndex.mockRejectedValueOnce(Object.assign(new Error('in use'), { errcode }));
    await commit(16);
    await commit(16);
    expect(mergeIndex).toHaveBeenCalledTimes(2);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is left to SQLite after another error', async () => {
    expect(automaticCopy()).toEqual({ wal_autocheckpoint: 16_384 });
    mergeIndex.mockRejectedValueOnce(new Error('no thread'));
    await commit(16);
    await commit(16);
    expect(mergeIndex).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(automaticCopy()).toEqual({ wal_autocheckpoint: 1000 });
  });
});

describe('a store with a thread', () => {
  it('merges the search index and copies its log into the file after commits', async () => {
    const store = await createSqliteStore({
      file,
      logger: createLogger('silent'),
      threadScript: script.path,
    });
    await say(store, 48, 40_000);
    // Each commit adds two parts, and a merge waits for several.
    await expect.poll(indexParts, patience).toBeLessThan(48);
    await expect
      .poll(() => {
        const { log = 0, checkpointed = 0 } = query('pragma wal_checkpoint(noop)');
        return log - checkpointed;
      }, patience)
      .toBeLessThan(1000);
    const { conversations } = await store.conversations.page({ ownerId: null, limit: 99 });
    expect(conversations).toHaveLength(48);
    await store.close();
    query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
  });

  it('stores long texts and deletes them in it', async () => {
    const store = await createSqliteStore({
      file,
      logger: createLogger('silent'),
      threadScript: script.path,
    });
    await say(store, 3, 200_000);
    const page = { ownerId: null, limit: 9 };
    const [newest, ...older] = (await store.conversations.page(page)).conversations;
    const last = newest?.lastResponseId ?? '';
    const word = (3 * (20_000 + 7919) * 104_729).toString(36);
    const found = () => store.conversations.page({ ...page, search: word });
    expect((await found()).conversations).toEqual([expect.objectContaining(newest ?? {})]);
    expect(await store.responses.delete(last, 'another owner')).toBe(false);
    expect(await store.responses.delete(last, null)).toBe(true);
    expect(await store.conversations.delete(older[0]?.id ?? '', null)).toBe(true);
    expect((await found()).conversations).toEqual([]);
    expect((await store.conversations.page(page)).conversations).toEqual(older.slice(1));
    await store.close();
    query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
  });

  it('works without one that can start, and reports it once', async () => {
    const write = vi.fn<(line: string) => void>();
    const store = await createSqliteStore({
      file,
      logger: createLogger('warn', { write }),
      threadScript: `${file}.absent.mjs`,
    });
    await say(store, 20, 800);
    await expect.poll(() => write.mock.calls.length, patience).toBe(1);
    expect(write.mock.calls[0]?.[0]).toContain('the thread of the database failed');
    await say(store, 20, 800, 20);
    await store.close();
    expect(write).toHaveBeenCalledTimes(1);
  });
});

describe('a store without a thread', () => {
  it('merges the search index when it reclaims space', async () => {
    const store = await createSqliteStore({ file, logger: createLogger('silent') });
    await say(store, 48, 800);
    expect(indexParts()).toBeGreaterThan(40);
    await store.reclaim(new AbortController().signal);
    expect(indexParts()).toBeLessThan(16);
    await store.close();
  });
});
