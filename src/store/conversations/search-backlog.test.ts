import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import { useThreadScript } from '../../../test/setup/store/thread-script.ts';
import { recordedStoreFile } from '../../../test/setup/store/recorded-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { openSqlite } from '../../platform/sqlite.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import { startIndexing } from '../maintenance.ts';
import type { Store } from '../store.ts';

const script = useThreadScript();
let file: string;
let store: Store;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, file);
  store = await open();
});

const open = async (threadScript?: string): Promise<Store> => {
  const opened = await createSqliteStore({ file, logger: createLogger('silent'), threadScript });
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

/** Adds conversations of one turn to a database of 0.1.0. */
function addResponses(count: number): void {
  const database = openSqlite(file);
  const insert = database.prepare(
    `insert into responses (id, created_at, model_key, model_instance_id, content)
     select ?, created_at, model_key, model_instance_id, ? from responses where parent_id is null limit 1`,
  );
  for (let index = 0; index < count; index += 1) {
    const content = {
      systemPrompt: null,
      input: [{ type: 'text', content: `number${index}x ${'and more '.repeat(200)}` }],
      output: [{ type: 'message', content: 'I will remember it.' }],
      stats: {
        input_tokens: 3,
        total_output_tokens: 5,
        reasoning_output_tokens: 0,
        tokens_per_second: 2.5,
        time_to_first_token_seconds: 0.25,
      },
    };
    insert.run(`resp_${index.toString(16).padStart(48, '0')}`, JSON.stringify(content));
  }
  database.close();
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

  it('is complete after a stop in the middle, while others merge the index', async () => {
    file = join(await temporaryFolder(), 'hearth.db');
    await copyFile(recordedStoreFile, file);
    addResponses(400);
    store = await open(script.path);
    const total = await pending();
    expect(total).toBeGreaterThan(400);
    const stopping = new AbortController();
    const filling = store.fillSearchIndex(stopping.signal);
    await expect.poll(pending).toBeLessThan(total - 100);
    stopping.abort();
    await expect(filling).rejects.toThrow('aborted');
    await store.close();

    store = await open(script.path);
    const rest = await pending();
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(total - 100);
    const reclaiming = store.reclaim(running);
    expect(await store.fillSearchIndex(running)).toBe(rest);
    await reclaiming;
    for (const index of [0, 199, 399]) {
      expect((await search(`number${index}x`)).conversations).toHaveLength(1);
    }
    query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
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
