import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { StoredBatch } from '../../store/batches/batch.ts';
import type { Store } from '../../store/store.ts';
import { BatchRunner, type BatchRunnerOptions, type SendRequest } from './batch-runner.ts';

const endpoint = '/v1/chat/completions';
const dayMs = 24 * 3600 * 1000;

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const request = (customId: string, more: object = {}) => ({
  custom_id: customId,
  method: 'POST',
  url: endpoint,
  body: { say: customId },
  ...more,
});

let count = 0;

/** A batch of these lines that waits to be validated. */
async function createBatch(
  lines: readonly (object | string)[],
  expiresAt = new Date(Date.now() + dayMs),
): Promise<string> {
  count += 1;
  const text = lines
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  const file = { id: `file-${count}`, ownerId: null, purpose: 'batch', name: 'x' } as const;
  const createdAt = new Date();
  await store.files.write({ ...file, createdAt }, bytesOf(text), 'test');
  await store.files.publish(file.id);
  const id = `batch_${count}`;
  const inputFileId = file.id;
  const batch = { id, ownerId: null, endpoint, inputFileId, metadata: null, createdAt, expiresAt };
  await store.batches.insert(batch);
  return id;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const echo: SendRequest = async ({ body }) => ({ status: 200, requestId: 'r', body });

const untilStopped: SendRequest = async ({ signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return { status: 500, requestId: 'r', body: {} };
};

function run(send: SendRequest, options: Partial<BatchRunnerOptions> = {}): BatchRunner {
  const runner = new BatchRunner({
    store,
    holder: 'home',
    concurrency: 2,
    maxRequests: 100,
    maxLineBytes: 1000,
    parseJson,
    send,
    logger: createLogger('silent'),
    pollMs: 5,
    retryMs: 1,
    ...options,
  });
  runner.start();
  onTestFinished(() => runner.close());
  return runner;
}

async function parseJson(pieces: readonly Uint8Array[]): Promise<unknown> {
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new HearthError('invalid_json', 'The body is not JSON.');
  }
}

async function ended(id: string): Promise<StoredBatch> {
  return vi.waitFor(async () => {
    const batch = await store.batches.find(id, null);
    if (batch === undefined || !'completed failed expired cancelled'.includes(batch.status)) {
      throw new Error(`${id} is ${batch?.status}`);
    }
    return batch;
  });
}

/** The lines of a file, without their ids. */
async function linesOf(fileId: string | null): Promise<readonly Record<string, unknown>[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.files.read(fileId ?? '')) pieces.push(piece);
  return Buffer.concat(pieces)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { id, ...rest } = JSON.parse(line) as Record<string, unknown>;
      expect(id).toMatch(/^batch_req_[0-9a-f]{24}$/);
      return rest;
    });
}

describe('a batch', () => {
  it('has its answers and errors as files, in the order of its requests', async () => {
    const id = await createBatch([request('a'), '', request('bad'), request('c'), '  ']);
    run(async (call) => {
      if (call.body['say'] === 'bad') return { status: 400, requestId: 'r', body: { error: 1 } };
      return echo(call);
    });
    const batch = await ended(id);
    expect(batch).toMatchObject({
      status: 'completed',
      totalCount: 3,
      completedCount: 2,
      failedCount: 1,
      times: { in_progress: expect.any(Date), completed: expect.any(Date) },
    });
    const response = (say: string) => ({ status_code: 200, request_id: 'r', body: { say } });
    expect(await linesOf(batch.outputFileId)).toEqual([
      { custom_id: 'a', response: response('a'), error: null },
      { custom_id: 'c', response: response('c'), error: null },
    ]);
    expect(await linesOf(batch.errorFileId)).toEqual([
      {
        custom_id: 'bad',
        response: { status_code: 400, request_id: 'r', body: { error: 1 } },
        error: null,
      },
    ]);
    const files = await store.files.page({ ownerId: null, limit: 10, order: 'asc' });
    expect(files.items).toHaveLength(3);
  });

  it('is refused for lines that are not requests, without making any', async () => {
    const id = await createBatch([
      request('a'),
      '{"custom_id": ',
      request('a'),
      request('b', { url: '/v1/embeddings' }),
      request('c', { method: 'GET' }),
      request('d', { body: { stream: true } }),
      { method: 'POST' },
      '[]',
    ]);
    const send = vi.fn<SendRequest>(echo);
    run(send);
    const batch = await ended(id);
    expect(batch.status).toBe('failed');
    expect(batch.errors.map(({ line, code, param }) => [line, code, param])).toEqual([
      [2, 'invalid_json_line', null],
      [3, 'duplicate_custom_id', 'custom_id'],
      [4, 'mismatched_endpoint', 'url'],
      [5, 'invalid_request', 'method'],
      [6, 'invalid_request', 'body.stream'],
      [7, 'invalid_request', 'custom_id'],
      [8, 'invalid_json_line', null],
    ]);
    expect(send).not.toHaveBeenCalled();
  });

  it.each([
    ['no requests', [''], {}, 'empty_file'],
    ['too many requests', [request('a'), request('b')], { maxRequests: 1 }, 'too_many_requests'],
    ['a line that is too long', [request('a')], { maxLineBytes: 20 }, 'line_too_long'],
  ])('is refused with %s', async (_, lines, limits, code) => {
    const id = await createBatch(lines);
    run(echo, limits);
    expect(await ended(id)).toMatchObject({ status: 'failed', errors: [{ code }] });
  });

  it('continues after a restart: requests with an answer are not made again', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const id = await createBatch(names.map((name) => request(name)));
    const made: string[] = [];
    const reached = deferred<void>();
    const first = run(
      async (call) => {
        made.push(String(call.body['say']));
        if (call.body['say'] !== 'c') return echo(call);
        reached.resolve();
        return untilStopped(call);
      },
      { concurrency: 1 },
    );
    await reached.promise;
    await first.close();
    expect(await store.batches.find(id, null)).toMatchObject({
      status: 'in_progress',
      completedCount: 2,
    });
    run((call) => {
      made.push(String(call.body['say']));
      return echo(call);
    });
    const batch = await ended(id);
    expect(batch).toMatchObject({ status: 'completed', completedCount: 5, failedCount: 0 });
    expect(made.toSorted()).toEqual(['a', 'b', 'c', 'c', 'd', 'e']);
    const answered = await linesOf(batch.outputFileId);
    expect(answered.map((line) => line['custom_id'])).toEqual(names);
  });

  it('keeps its answers when it is cancelled', async () => {
    const id = await createBatch([request('a'), request('b'), request('c')]);
    const reached = deferred<void>();
    const runner = run(
      async (call) => {
        if (call.body['say'] === 'a') return echo(call);
        reached.resolve();
        return untilStopped(call);
      },
      { concurrency: 1 },
    );
    await reached.promise;
    expect(await store.batches.move(id, ['in_progress'], 'cancelling')).toBe(true);
    runner.wake();
    const batch = await ended(id);
    expect(batch).toMatchObject({ status: 'cancelled', completedCount: 1, failedCount: 0 });
    expect(await linesOf(batch.outputFileId)).toHaveLength(1);
    expect(await linesOf(batch.errorFileId)).toMatchObject([
      { custom_id: 'b', response: null, error: { code: 'batch_cancelled' } },
      { custom_id: 'c', error: { code: 'batch_cancelled' } },
    ]);
  });

  it('expires with its window', async () => {
    const id = await createBatch([request('a')], new Date(Date.now() - 1));
    run(echo);
    const batch = await ended(id);
    expect(batch).toMatchObject({ status: 'expired', outputFileId: null });
    expect(await linesOf(batch.errorFileId)).toMatchObject([{ error: { code: 'batch_expired' } }]);
  });

  it('expires after its validation if its window ends meanwhile', async () => {
    const id = await createBatch([request('a'), request('b')], new Date(Date.now() - 1));
    const validated = deferred<void>();
    const slowly = {
      ...store.files,
      read: async function* read(...range: Parameters<typeof store.files.read>) {
        await validated.promise;
        yield* store.files.read(...range);
      },
    };
    const runner = run(echo, { store: { ...store, files: slowly } });
    for (let look = 0; look < 3; look += 1) {
      runner.wake();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    validated.resolve();
    const batch = await ended(id);
    expect(batch).toMatchObject({ status: 'expired', totalCount: 2, outputFileId: null });
  });

  it('expires while a request runs', async () => {
    const id = await createBatch([request('a')], new Date(Date.now() + 300));
    run(untilStopped);
    expect((await ended(id)).status).toBe('expired');
  });

  it('waits for a busy server, and not forever for one that is not available', async () => {
    const id = await createBatch([request('busy'), request('away')]);
    const calls = { busy: 0, away: 0 };
    run(async (call) => {
      const name = call.body['say'] as 'busy' | 'away';
      calls[name] += 1;
      if (name === 'away') return { status: 503, requestId: 'r', body: {} };
      return calls.busy < 8 ? { status: 429, requestId: 'r', body: {} } : echo(call);
    });
    expect(await ended(id)).toMatchObject({ completedCount: 1, failedCount: 1 });
    expect(calls).toEqual({ busy: 8, away: 5 });
  });

  it('reports a request that its file no longer has', async () => {
    const id = await createBatch([request('a')]);
    const batch = await store.batches.find(id, null);
    await store.batches.addLines(id, [{ line: 1, customId: 'a', start: 0, length: 9 }]);
    await store.batches.move(id, ['validating'], 'in_progress', { totalCount: 1 });
    await store.files.delete(batch?.inputFileId ?? '', 'test');
    run(echo);
    const { status, errorFileId } = await ended(id);
    expect(status).toBe('completed');
    expect(await linesOf(errorFileId)).toMatchObject([
      { custom_id: 'a', response: null, error: { code: 'invalid_json_line' } },
    ]);
  });

  it('leaves no answers of an end that failed', async () => {
    const id = await createBatch([request('a'), request('b')]);
    let hasFailed = false;
    const write: Store['files']['write'] = async (file, ...rest) => {
      if (hasFailed || !file.name.endsWith('_error.jsonl')) return store.files.write(file, ...rest);
      hasFailed = true;
      throw new Error('The disk failed.');
    };
    const failOne: SendRequest = async (call) =>
      call.body['say'] === 'a' ? echo(call) : { status: 400, requestId: 'r', body: {} };
    run(failOne, { store: { ...store, files: { ...store.files, write } } });
    const { inputFileId, outputFileId, errorFileId } = await ended(id);
    const files = [inputFileId, outputFileId, errorFileId].map((each) =>
      store.files.find(each ?? '', null),
    );
    const sizes = (await Promise.all(files)).map((file) => file?.sizeBytes ?? 0);
    expect(await store.files.totalBytes()).toBe(sizes.reduce((sum, bytes) => sum + bytes));
  });

  it('ends once, also if another process took it for one that did not', async () => {
    const id = await createBatch([request('a')]);
    run(echo);
    const batch = await ended(id);
    await store.batches.end(id, 'expired', { outputFileId: 'file-late' });
    expect(await store.batches.find(id, null)).toEqual(batch);
  });

  it('runs in one process at a time', async () => {
    const id = await createBatch([request('a')]);
    await store.batches.claim(id, 'other', new Date(Date.now() + dayMs));
    const send = vi.fn<SendRequest>(echo);
    const runner = run(send);
    await runner.close();
    expect(send).not.toHaveBeenCalled();
    // The other one was killed.
    await store.batches.claim(id, 'other', new Date(Date.now() - 1));
    run(send);
    expect((await ended(id)).status).toBe('completed');
  });
});
