import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import { recordedStoreFile } from '../../../test/setup/store/recorded-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../observability/logger.ts';
import { openSqlite } from '../../sqlite.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import { startIndexing } from '../start-indexing.ts';
import type { Store } from '../store.ts';

let file: string;
let store: Store;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, file);
  store = await open();
});

const open = async (): Promise<Store> => {
  const opened = await createSqliteStore({ file, logger: createLogger('silent') });
  onTestFinished(() => opened.close());
  return opened;
};
const running = new AbortController().signal;

const search = async (text: string) =>
  store.conversations.page({ ownerId: null, limit: 100, search: text });
const pending = async (): Promise<number> => (await search('nothing')).unindexedCount ?? 0;

function query(text: string): readonly Record<string, unknown>[] {
  const database = openSqlite(file);
  try {
    return database.prepare(text).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

describe('the search in a database of an earlier version', () => {
  it('finds the older conversations once they are indexed, and says how many are not', async () => {
    const before = await search('Zorbek');
    expect(before.conversations).toEqual([]);
    expect(before.unindexedCount).toBeGreaterThan(10);
    expect(await store.fillSearchIndex(running)).toBe(before.unindexedCount);
    const after = await search('Zorbek');
    expect(after.conversations.length).toBeGreaterThan(0);
    expect(after.unindexedCount).toBe(0);
    expect(await store.fillSearchIndex(running)).toBe(0);
    query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
  });

  it('has new responses at once, and titles that change before they are indexed', async () => {
    const total = await pending();
    await store.responses.insert(
      {
        id: `resp_${'a'.repeat(48)}`,
        parentId: null,
        ownerId: null,
        createdAt: new Date(),
        modelKey: 'a/b',
        modelInstanceId: 'a/b',
        turn: conversationTurn({ items: [{ type: 'message', text: 'xylophone' }] }),
      },
      [],
    );
    expect((await search('xylophone')).conversations).toHaveLength(1);
    expect(await pending()).toBe(total);
    const [older] = (
      await store.conversations.page({ ownerId: null, limit: 100 })
    ).conversations.slice(1);
    await store.conversations.update(older?.id ?? '', null, { title: 'Quixotic' });
    expect(await store.fillSearchIndex(running)).toBe(total);
    expect((await search('Quixotic')).conversations).toMatchObject([{ id: older?.id }]);
  });

  it('skips what is deleted in the meantime', async () => {
    const total = await pending();
    const [first] = (await store.conversations.page({ ownerId: null, limit: 1 })).conversations;
    await store.conversations.delete(first?.id ?? '', null);
    expect(await store.fillSearchIndex(running)).toBeLessThan(total);
    expect(await pending()).toBe(0);
    query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
  });

  it('continues after a restart', async () => {
    const total = await pending();
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    await expect(store.fillSearchIndex(stopping.signal)).rejects.toThrow('aborted');
    const rest = await pending();
    expect(rest).toBeLessThan(total);
    await store.close();
    store = await open();
    expect(await pending()).toBe(rest);
    expect(await store.fillSearchIndex(running)).toBe(rest);
  });

  it('does not try a damaged turn again', async () => {
    query(
      `update responses set content = '{' where id = (select min(id) from responses where deleted_at is null)`,
    );
    const total = await pending();
    expect(await store.fillSearchIndex(running)).toBe(total);
    await store.close();
    store = await open();
    expect(await pending()).toBe(0);
  });

  it('is completed in the background, which the log says', async () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const total = await pending();
    const indexing = startIndexing({ store, logger });
    await expect.poll(() => lines).toEqual([expect.stringContaining(`"count":${total}`)]);
    expect(await pending()).toBe(0);
    await indexing.close();
    await startIndexing({ store, logger }).close();
    expect(lines).toHaveLength(1);
  });
});
