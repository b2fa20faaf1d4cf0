import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  begin,
  chunkBytes,
  planOf,
  repositoryName,
  setUpDownloads,
  untilEnded,
  untilJob,
} from '../../../test/setup/downloads/download-setup.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { StoredDownload } from '../../store/store.ts';
import { ActiveDownload } from './active-download.ts';

const file = 'tiny-Q4_K_M.gguf';
const sizeBytes = 2 * chunkBytes + 99;
const oneFile = { [file]: { sizeBytes, seed: 1 } };
const { signal } = new AbortController();

/** A logger, and the level, message and fields of each line it wrote. */
function memoryLogger() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('debug', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { logger, linesOf: (msg: string) => lines.filter((line) => line['msg'] === msg) };
}

const storedOf = (fields: Partial<StoredDownload> = {}): StoredDownload => ({
  id: 'job_0123456789',
  plan: {
    model: 'acme/tiny',
    owner: 'Acme',
    name: 'Tiny-GGUF',
    commit: 'c',
    quantization: null,
    files: [],
  },
  status: 'downloading',
  isPausedByUser: false,
  totalBytes: 1000,
  downloadedBytes: 0,
  startedAt: new Date(0),
  completedAt: null,
  failure: null,
  ...fields,
});

describe('a running job', () => {
  afterEach(() => void vi.useRealTimers());

  it('is stored every two seconds, with its progress', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const saved: number[] = [];
    const active = new ActiveDownload({
      stored: storedOf(),
      save: ({ downloadedBytes }) => void saved.push(downloadedBytes),
    });
    vi.advanceTimersByTime(1999);
    active.received(10);
    vi.advanceTimersByTime(1);
    active.received(20);
    vi.advanceTimersByTime(1999);
    active.received(30);
    vi.advanceTimersByTime(1);
    active.received(40);
    expect(saved).toEqual([20, 40]);
    expect(active.stored.downloadedBytes).toBe(40);
  });

  it('reports its speed', () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 0 });
    const active = new ActiveDownload({ stored: storedOf(), save: () => {} });
    active.received(0);
    vi.advanceTimersByTime(1000);
    active.received(100);
    expect(active.view()).toMatchObject({
      downloadedBytes: 100,
      bytesPerSecond: 100,
      estimatedCompletionAt: new Date(10_000),
    });
  });

  it('gets the reason when it must stop', async () => {
    const active = new ActiveDownload({ stored: storedOf(), save: () => {} });
    expect(active.isStopping).toBe(false);
    await active.ended();
    let reason: unknown;
    active.run(
      (stop) =>
        new Promise((resolve) => {
          stop.addEventListener('abort', () => {
            ({ reason } = stop);
            resolve();
          });
        }),
    );
    await active.stop();
    expect(active.isStopping).toBe(true);
    expect(reason).toEqual(new Error('the download was stopped'));
  });
});

describe('the log', () => {
  it('reports the start and end of a download', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager({ logger });
    const { id } = await begin(manager);
    await untilEnded(manager, id);
    expect(linesOf('download started')).toMatchObject([
      { level: 'info', job: id, model: repositoryName },
    ]);
    await vi.waitFor(() =>
      expect(linesOf('download completed')).toMatchObject([
        { level: 'info', job: id, totalBytes: sizeBytes },
      ]),
    );
  });

  it('has the code of an expected failure, and the whole of an unexpected one', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'status', status: 404 });
    const expected = setup.manager({ logger });
    const { id } = await begin(expected);
    await untilEnded(expected, id);
    expect(linesOf('download failed')).toMatchObject([
      {
        level: 'warn',
        job: id,
        code: 'model_not_found',
        reason: expect.stringContaining('no longer has') as string,
      },
    ]);
    expect(linesOf('download failed')[0]).not.toHaveProperty('err');

    const fault = new TypeError('x is undefined');
    const unexpected = setup.manager({
      logger,
      store: (await setUpDownloads({})).store.downloads,
      http: { get: () => Promise.reject(fault), close: async () => {} },
    });
    await untilEnded(unexpected, (await begin(unexpected)).id);
    expect(linesOf('download failed')[1]).toMatchObject({ err: { message: 'x is undefined' } });
    expect(linesOf('download failed')[1]).not.toHaveProperty('code');
  });

  it('reports a cancelled download', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    const manager = setup.manager({ logger });
    const { id } = await begin(manager);
    await manager.cancel(id);
    expect(linesOf('download cancelled')).toMatchObject([{ job: id }]);
    expect(linesOf('download failed')).toEqual([]);
  });

  it('lists folders of other homes at startup, if there are any', async () => {
    const { logger, linesOf } = memoryLogger();
    const message = 'staging folders without a job, of another home folder or a deleted one';
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'stall', afterBytes: 4000 });
    const manager = setup.manager({ logger });
    await manager.continueInterrupted();
    expect(linesOf(message)).toEqual([]);
    const { id } = await begin(manager);
    await untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes > 0);
    const other = setup.manager({ logger, store: (await setUpDownloads({})).store.downloads });
    await other.continueInterrupted();
    expect(linesOf(message)).toMatchObject([{ folders: [id] }]);
  });
});

describe('a failing store', () => {
  it('does not hide the end of a download', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager({
      logger,
      store: { ...setup.store.downloads, update: () => Promise.reject(new Error('disk full')) },
    });
    const { id } = await begin(manager);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
    expect(await setup.isRight(file)).toBe(true);
    await vi.waitFor(() =>
      expect(linesOf('state of a download not stored')).toMatchObject([
        { level: 'error', job: id, err: { message: 'disk full' } },
      ]),
    );
    expect(await manager.list()).toMatchObject([{ id, status: 'completed' }]);
    expect(await manager.find(id)).toMatchObject({ status: 'completed' });
  });

  it('keeps old downloads listed', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager({
      logger,
      keptCompletedJobs: 0,
      store: { ...setup.store.downloads, delete: () => Promise.reject(new Error('locked')) },
    });
    await untilEnded(manager, (await begin(manager)).id);
    await vi.waitFor(() =>
      expect(linesOf('old downloads not deleted')).toMatchObject([
        { level: 'warn', err: { message: 'locked' } },
      ]),
    );
    expect(await manager.list()).toHaveLength(1);
  });
});

describe('rejected requests', () => {
  const job = (index: number, fields: Partial<StoredDownload>) =>
    storedOf({ id: `job_${String(index).padStart(10, '0')}`, ...fields });

  it('include those beyond a thousand unfinished downloads', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    const startAmong = (count: number) => {
      const unfinished = Array.from({ length: count }, (_, index) =>
        job(index, { status: 'paused' }),
      );
      const list = async () => [...unfinished, job(5000, { status: 'completed' })];
      const manager = setup.manager({ store: { ...setup.store.downloads, list } });
      return manager.start({ model: repositoryName }, signal);
    };
    await expect(startAmong(1000)).rejects.toMatchObject({
      code: 'queue_full',
      message: '1000 downloads are unfinished. Cancel some, or let them finish.',
      retryAfterSeconds: 60,
    });
    expect(await startAmong(999)).toMatchObject({ kind: 'job' });
  });

  it('explain what to do', async () => {
    const setup = await setUpDownloads(oneFile);
    const stall = setup.hub.faults.add({ kind: 'stall', afterBytes: 4000 });
    const manager = setup.manager();
    const { id } = await begin(manager);
    await expect(manager.resume(id)).rejects.toThrow(
      `The download ${id} is not paused: it is downloading. To resume a failed download, request it again.`,
    );
    await manager.pause(id);
    await expect(manager.pause(id)).rejects.toThrow(
      `The download ${id} is not downloading: it is paused. Only a running download can be paused.`,
    );
    stall.remove();
    setup.hub.faults.release();
    await manager.resume(id);
    await untilEnded(manager, id);
    await expect(manager.cancel(id)).rejects.toThrow(
      `The download ${id} can't be cancelled: it is completed. Delete the model to remove its files.`,
    );
    await expect(manager.find('job_x')).rejects.toThrow(
      'No download has the id "job_x"; `hearth download ls` lists the existing ones.',
    );
    await manager.close();
    const closed = manager.pause(id);
    await expect(closed).rejects.toMatchObject({
      code: 'shutting_down',
      message: 'The server is stopping.',
      retryAfterSeconds: 5,
    });
  });
});

describe('isUnderWay', () => {
  it.each([
    ['downloading', true],
    ['paused', true],
    ['completed', false],
    ['failed', false],
  ] as const)('of a model whose job is %s is %s', async (status, expected) => {
    const setup = await setUpDownloads(oneFile);
    await setup.store.downloads.insert(storedOf({ status }));
    const manager = setup.manager();
    // The name on the hub and the name in the library both match.
    expect(await manager.isUnderWay('acme/tiny-gguf')).toBe(expected);
    expect(await manager.isUnderWay('acme/tiny')).toBe(expected);
    expect(await manager.isUnderWay('acme/other')).toBe(false);
    expect(await manager.isUnderWay('other/tiny')).toBe(false);
  });
});

describe('a server that starts again', () => {
  it('continues with the oldest job first, and ignores failed jobs', async () => {
    const { logger, linesOf } = memoryLogger();
    const setup = await setUpDownloads({});
    const insert = (id: string, startedAt: number, fields: Partial<StoredDownload>) =>
      setup.store.downloads.insert(storedOf({ id, startedAt: new Date(startedAt), ...fields }));
    await insert('job_00000000aa', 1, {
      status: 'downloading',
      plan: planOf(setup.hub, 'old', []),
    });
    await insert('job_00000000bb', 2, { status: 'failed', plan: planOf(setup.hub, 'failed', []) });
    await insert('job_00000000cc', 3, {
      status: 'paused',
      isPausedByUser: false,
      plan: planOf(setup.hub, 'new', []),
    });
    await insert('job_00000000dd', 4, {
      status: 'paused',
      isPausedByUser: true,
      plan: planOf(setup.hub, 'left', []),
    });
    const manager = setup.manager({ logger });
    await manager.continueInterrupted();
    expect(linesOf('download started').map(({ model }) => model)).toEqual(['old', 'new']);
  });

  it('fails a job whose plan leads out of the library', async () => {
    const setup = await setUpDownloads(oneFile);
    const plan = planOf(setup.hub, repositoryName, [file]);
    const files = plan.files.map((one) => ({ ...one, target: '../outside.gguf' }));
    await setup.store.downloads.insert(storedOf({ plan: { ...plan, files }, downloadedBytes: 7 }));
    const manager = setup.manager();
    await manager.continueInterrupted();
    expect(await untilEnded(manager, 'job_0123456789')).toMatchObject({
      status: 'failed',
      downloadedBytes: 7,
      failure: { code: 'invalid_value' },
    });
  });

  it('counts files that are already in place', async () => {
    const files = { ...oneFile, 'mmproj-f16.gguf': { sizeBytes: 500, seed: 3 } };
    const setup = await setUpDownloads(files);
    const first = setup.manager();
    await untilEnded(first, (await begin(first)).id);
    await rm(setup.target(file));
    const plan = planOf(setup.hub, repositoryName, Object.keys(files));
    await setup.store.downloads.insert(storedOf({ plan, totalBytes: sizeBytes + 500 }));
    const second = setup.manager({ concurrentJobs: 0 });
    await second.continueInterrupted();
    expect(await second.find('job_0123456789')).toMatchObject({
      status: 'downloading',
      downloadedBytes: 500,
    });
  });
});

it('continues a job that failed because of an existing file once that file matches', async () => {
  const setup = await setUpDownloads(oneFile);
  const manager = setup.manager();
  await untilEnded(manager, (await begin(manager)).id);
  await writeFile(setup.target(file), 'another');
  const { id } = await begin(manager);
  expect(await untilEnded(manager, id)).toMatchObject({ failure: { code: 'conflict' } });
  await writeFile(setup.target(file), setup.content(file));
  expect(await begin(manager)).toMatchObject({ id });
  expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed', failure: null });
  expect(await readdir(join(setup.modelsFolder, '.downloads'))).toEqual([]);
});

it.each([
  ['that was set back while it ran', new Date(0), new Date(-3600_000)],
  ['that stood still', new Date(0), new Date(0)],
])(
  'estimates from no download of an earlier run by a clock %s',
  async (_, startedAt, completedAt) => {
    const setup = await setUpDownloads(oneFile);
    const { store } = setup;
    const earlier = storedOf({ status: 'completed', totalBytes: 1, startedAt, completedAt });
    await store.downloads.insert(earlier);
    const paused = storedOf({ id: 'job_1111111111', status: 'paused', isPausedByUser: true });
    await store.downloads.insert({ ...paused, totalBytes: 1e12, status: 'downloading' });
    const opened = setup.manager({ plan: async () => Promise.reject(new Error('not asked')) });
    await opened.continueInterrupted();
    const { estimatedCompletionAt } = await opened.find(paused.id);
    const seconds = ((estimatedCompletionAt?.getTime() ?? 0) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(1e12 / 20_000_000);
  },
);

it('fails with the disk as its reason if the free space can not be read', async () => {
  const setup = await setUpDownloads(oneFile);
  let looks = 0;
  const opened = setup.manager({
    readFreeBytes: async () => {
      looks += 1;
      if (looks <= 2) return 1e9;
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    },
    http: {
      get: async () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
      close: async () => {},
    },
  });
  const { id } = await begin(opened);
  expect(await untilEnded(opened, id)).toMatchObject({ status: 'failed' });
});
