import { beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { sqliteSchema } from '../../../test/setup/store/sqlite-schema.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { sqliteDialect } from '../sqlite-dialect.ts';
import { createLeaseRepository } from '../shared/lease-repository.ts';
import type { Store } from '../store.ts';
import { serialTransactions, type Transactions } from '../transactions.ts';
import { createBatchRepository } from './batch-repository.ts';
import { activeStatuses, type BatchRepository, type FinalStatus } from './batch.ts';

let store: Store;
let batches: BatchRepository;
beforeEach(async () => {
  store = await temporaryStore();
  ({ batches } = store);
});

const inAnHour = () => new Date(Date.now() + 3_600_000);
const createdAt = new Date(1_800_000_000_000);
const expiresAt = new Date(1_800_086_400_000);

type NewBatch = Parameters<BatchRepository['insert']>[0];

const batch = (id: string, fields: Partial<NewBatch> = {}): NewBatch => ({
  id,
  ownerId: null,
  endpoint: '/v1/chat/completions',
  inputFileId: `file-${id}`,
  metadata: null,
  createdAt,
  expiresAt,
  ...fields,
});

const line = (number: number) => ({
  line: number,
  customId: `request ${number}`,
  start: number * 100,
  length: 99,
});

const numbersOf = async (id: string, afterLine = 0, limit = 9999) =>
  (await batches.pending(id, afterLine, limit)).map((each) => each.line);

describe('a batch', () => {
  it('begins without results, and is found by its owner alone', async () => {
    await batches.insert(batch('a', { ownerId: 'tok_a', metadata: { purpose: 'test' } }));
    await batches.insert(batch('b'));
    expect(await batches.find('a', 'tok_a')).toEqual({
      ...batch('a', { ownerId: 'tok_a', metadata: { purpose: 'test' } }),
      status: 'validating',
      outputFileId: null,
      errorFileId: null,
      errors: [],
      totalCount: 0,
      completedCount: 0,
      failedCount: 0,
      times: {},
    });
    expect(await batches.find('b', null)).toMatchObject({ id: 'b', metadata: null });
    expect(await batches.find('a', 'tok_b')).toBeUndefined();
    expect(await batches.find('a', null)).toBeUndefined();
    expect(await batches.find('b', 'tok_a')).toBeUndefined();
    expect(await batches.find('c', null)).toBeUndefined();
  });

  it('moves only from the statuses that are named, and keeps the time of each', async () => {
    await batches.insert(batch('a'));
    await batches.insert(batch('b'));
    expect(await batches.move('a', ['in_progress', 'finalizing'], 'cancelling')).toBe(false);
    const before = Date.now();
    const isMoved = await batches.move('a', ['validating'], 'in_progress', { totalCount: 7 });
    expect(isMoved).toBe(true);
    expect(await batches.move('a', ['in_progress'], 'finalizing')).toBe(true);
    const moved = await batches.find('a', null);
    expect(moved).toMatchObject({ status: 'finalizing', totalCount: 7 });
    expect(Object.keys(moved?.times ?? {})).toEqual(['in_progress', 'finalizing']);
    expect(moved?.times.in_progress?.getTime()).toBeGreaterThanOrEqual(before);
    expect(await batches.find('b', null)).toMatchObject({ status: 'validating', totalCount: 0 });
  });

  it('is claimed by one process until it has ended', async () => {
    await batches.insert(batch('a'));
    await batches.insert(batch('b'));
    expect(await batches.claim('a', 'one', inAnHour())).toMatchObject({ id: 'a' });
    expect(await batches.claim('a', 'two', inAnHour())).toBeUndefined();
    expect(await batches.claim('a', 'one', inAnHour())).toMatchObject({ id: 'a' });
    expect(await batches.claim('b', 'two', inAnHour())).toMatchObject({ id: 'b' });
    await batches.end('a', 'completed');
    expect(await batches.claim('a', 'one', inAnHour())).toBeUndefined();
  });

  it('is free for other processes once its lease is over', async () => {
    await batches.insert(batch('a'));
    await batches.claim('a', 'one', new Date(Date.now() - 1000));
    expect(await batches.claim('a', 'two', inAnHour())).toMatchObject({ id: 'a' });
  });

  it('gives its lease back when it ends', async () => {
    await batches.insert(batch('a'));
    await batches.claim('a', 'one', inAnHour());
    await batches.claim('b', 'one', inAnHour());
    await batches.end('a', 'completed');
    expect(await store.leases.acquire('a', 'two', 1000)).toBe(true);
    expect(await store.leases.acquire('b', 'two', 1000)).toBe(false);
  });
});

describe('page', () => {
  beforeEach(async () => {
    for (const [index, id] of ['c', 'a', 'b'].entries()) {
      await batches.insert(batch(id, { createdAt: new Date(createdAt.getTime() + index) }));
    }
    await batches.insert(batch('other', { ownerId: 'tok_a' }));
  });

  const page = async (order: 'asc' | 'desc', limit: number, after?: string) => {
    const { items, hasMore } = await batches.page({ ownerId: null, limit, order, after });
    return [items.map(({ id }) => id), hasMore];
  };

  it('lists the batches of an owner in the order of their creation', async () => {
    expect(await page('asc', 2)).toEqual([['c', 'a'], true]);
    expect(await page('asc', 2, 'a')).toEqual([['b'], false]);
    expect(await page('desc', 2)).toEqual([['b', 'a'], true]);
    expect(await page('desc', 2, 'a')).toEqual([['c'], false]);
    expect(await page('asc', 3)).toEqual([['c', 'a', 'b'], false]);
    const own = await batches.page({ ownerId: 'tok_a', limit: 9, order: 'asc' });
    expect(own.items.map(({ id }) => id)).toEqual(['other']);
  });

  it('lists those of the same millisecond in the order of their ids', async () => {
    for (const id of ['z', 'x', 'y']) await batches.insert(batch(id, { ownerId: 'tok_b' }));
    const own = async (order: 'asc' | 'desc', after?: string) => {
      const { items } = await batches.page({ ownerId: 'tok_b', limit: 2, order, after });
      return items.map(({ id }) => id);
    };
    expect(await own('asc')).toEqual(['x', 'y']);
    expect(await own('asc', 'y')).toEqual(['z']);
    expect(await own('desc')).toEqual(['z', 'y']);
    expect(await own('desc', 'y')).toEqual(['x']);
  });

  it.each(['other', 'absent'])('refuses to continue after %s, which is not of the owner', (after) =>
    expect(page('asc', 2, after)).rejects.toMatchObject({ code: 'invalid_value', param: 'after' }),
  );
});

describe('batches that have not ended', () => {
  beforeEach(async () => {
    const early = new Date(createdAt.getTime() - 1);
    await batches.insert(batch('a', { ownerId: 'tok_a' }));
    await batches.insert(batch('c'));
    await batches.insert(batch('b'));
    await batches.insert(batch('d', { createdAt: early }));
    await batches.insert(batch('ended', { inputFileId: 'file-ended' }));
    await batches.end('ended', 'cancelled');
  });

  it('are listed oldest first, of an owner or of all', async () => {
    expect(await batches.activeIds()).toEqual(['d', 'a', 'b', 'c']);
    expect(await batches.activeIds(null)).toEqual(['d', 'b', 'c']);
    expect(await batches.activeIds('tok_a')).toEqual(['a']);
    expect(await batches.activeIds('tok_b')).toEqual([]);
  });

  it('keep their input in use', async () => {
    expect(await batches.isInput('file-a')).toBe(true);
    expect(await batches.isInput('file-ended')).toBe(false);
    expect(await batches.isInput('file-x')).toBe(false);
  });

  it.each(activeStatuses.slice(1))('include those with the status %s', async (status) => {
    await batches.move('a', ['validating'], status);
    expect(await batches.activeIds('tok_a')).toEqual(['a']);
  });
});

describe('the requests of a batch', () => {
  it('are pending in their order until they have a result', async () => {
    await batches.insert(batch('a'));
    const count = 450;
    const lines = Array.from({ length: count }, (_, index) => line(index + 1));
    await batches.addLines('a', lines.toReversed());
    await batches.addLines('b', [line(1)]);
    expect(await batches.pending('a', 0, 9999)).toEqual(lines);
    expect(await numbersOf('a', 0, 2)).toEqual([1, 2]);
    expect(await numbersOf('a', 448)).toEqual([449, 450]);
    await batches.record('a', 2, { isFailed: false, json: '{}' });
    expect(await numbersOf('a', 0, 2)).toEqual([1, 3]);
    await batches.clearLines('a');
    expect(await numbersOf('a')).toEqual([]);
    expect(await numbersOf('b')).toEqual([1]);
  });

  it('have one result each, which is counted once', async () => {
    for (const id of ['a', 'b']) {
      await batches.insert(batch(id));
      await batches.addLines(id, [line(1), line(2), line(3)]);
    }
    await batches.record('a', 1, { isFailed: false, json: 'answer' });
    await batches.record('a', 1, { isFailed: true, json: 'late' });
    await batches.record('a', 3, { isFailed: true, json: 'error' });
    await batches.record('a', 4, { isFailed: true, json: 'absent' });
    expect(await batches.find('a', null)).toMatchObject({ completedCount: 1, failedCount: 1 });
    expect(await batches.find('b', null)).toMatchObject({ completedCount: 0, failedCount: 0 });
    expect(await collect(batches.results('a', false))).toEqual(['answer']);
    expect(await collect(batches.results('a', true))).toEqual(['error']);
    expect(await collect(batches.results('b', false))).toEqual([]);
  });

  it('have their results in their order, also more than one query reads', async () => {
    await batches.insert(batch('a'));
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    await batches.addLines('a', numbers.map(line));
    for (const number of numbers.toReversed()) {
      await batches.record('a', number, { isFailed: false, json: `answer ${number}` });
    }
    expect(await collect(batches.results('a', false))).toEqual(
      numbers.map((number) => `answer ${number}`),
    );
  });
});

describe('end', () => {
  async function write(id: string): Promise<void> {
    const file = { id, ownerId: null, purpose: 'batch_output', name: 'x', createdAt } as const;
    const bytes = async function* () {
      yield Buffer.from('x');
    };
    await store.files.write(file, bytes(), 'me');
  }

  it('publishes the files of the batch, and removes its requests', async () => {
    await batches.insert(batch('a'));
    await batches.addLines('a', [line(1)]);
    for (const id of ['file-1', 'file-2', 'file-3']) await write(id);
    await batches.end('a', 'completed', { outputFileId: 'file-1', errorFileId: 'file-2' });
    const ended = await batches.find('a', null);
    expect(ended).toMatchObject({
      status: 'completed',
      outputFileId: 'file-1',
      errorFileId: 'file-2',
      errors: [],
      times: { completed: expect.any(Date) },
    });
    expect(await store.files.find('file-1', null)).toBeDefined();
    expect(await store.files.find('file-2', null)).toBeDefined();
    expect(await store.files.find('file-3', null)).toBeUndefined();
    expect(await numbersOf('a')).toEqual([]);
  });

  it('has no effect on a batch that has ended', async () => {
    await batches.insert(batch('a'));
    await batches.insert(batch('b'));
    await batches.end('a', 'cancelled');
    await write('file-1');
    await batches.end('a', 'completed', { outputFileId: 'file-1' });
    expect(await batches.find('a', null)).toMatchObject({
      status: 'cancelled',
      outputFileId: null,
      errorFileId: null,
    });
    expect(await store.files.find('file-1', null)).toBeUndefined();
    expect(await batches.find('b', null)).toMatchObject({ status: 'validating' });
    await batches.end('b', 'expired', { errorFileId: 'file-1' });
    expect(await batches.find('b', null)).toMatchObject({ errorFileId: 'file-1' });
    expect(await store.files.find('file-1', null)).toBeDefined();
  });

  it('keeps why a batch failed', async () => {
    const errors = [{ code: 'invalid_json', message: 'no', line: 3, param: null }];
    await batches.insert(batch('a'));
    await batches.end('a', 'failed', { errors });
    expect(await batches.find('a', null)).toMatchObject({ status: 'failed', errors });
  });
});

describe('deleteEnded', () => {
  it('deletes old batches that ended, with their requests', async () => {
    const before = new Date(createdAt.getTime() + 1);
    const ended: Record<string, FinalStatus> = { a: 'failed', b: 'completed', c: 'expired' };
    for (const id of Object.keys(ended)) await batches.insert(batch(id));
    await batches.insert(batch('active'));
    await batches.insert(batch('young', { createdAt: before }));
    for (const [id, status] of Object.entries(ended)) {
      await batches.end(id, status);
      // A process that was slow adds some after the end.
      await batches.addLines(id, [line(1)]);
    }
    await batches.end('young', 'completed');
    await batches.deleteEnded(before);
    for (const id of Object.keys(ended)) {
      expect(await batches.find(id, null)).toBeUndefined();
      expect(await numbersOf(id)).toEqual([]);
    }
    expect(await batches.find('active', null)).toBeDefined();
    expect(await batches.find('young', null)).toBeDefined();
  });
});

describe('a commit whose confirmation is lost', () => {
  let isCommitted: boolean;

  /** Transactions of a connection that breaks at the commit, before or after the database has done it. */
  const breaking = (transactions: Transactions): Transactions => ({
    ...transactions,
    add: async (work, { findResult } = {}) => {
      if (isCommitted) await transactions.add(work);
      const result = await findResult?.();
      if (result === undefined) throw new Error('the connection is lost');
      return result;
    },
  });

  beforeEach(async () => {
    const database = await sqliteSchema();
    const transactions = serialTransactions(database);
    const leases = createLeaseRepository(database, sqliteDialect.clock);
    batches = createBatchRepository(database, breaking(transactions), leases);
    for (const id of ['a', 'b']) {
      await batches.insert(batch(id));
      await batches.addLines(id, [line(1), line(2)]);
    }
    isCommitted = true;
    await batches.record('b', 1, { isFailed: false, json: '{}' });
    await batches.record('a', 2, { isFailed: false, json: '{}' });
  });

  it('does not matter to a result that was stored', async () => {
    await batches.record('a', 1, { isFailed: false, json: 'answer' });
    expect(await batches.find('a', null)).toMatchObject({ completedCount: 2 });
  });

  it('fails for a result that was not stored', async () => {
    isCommitted = false;
    await expect(batches.record('a', 1, { isFailed: false, json: 'answer' })).rejects.toThrow(
      'the connection is lost',
    );
  });

  it('does not matter to a batch that has ended', async () => {
    await batches.end('a', 'completed');
    expect(await numbersOf('a')).toEqual([]);
  });

  it('fails for a batch that has not ended so', async () => {
    await batches.end('b', 'completed');
    isCommitted = false;
    await expect(batches.end('a', 'completed')).rejects.toThrow('the connection is lost');
    await expect(batches.end('b', 'cancelled')).rejects.toThrow('the connection is lost');
    expect(await numbersOf('a')).toEqual([1]);
  });
});
