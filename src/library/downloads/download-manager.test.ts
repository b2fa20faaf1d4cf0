import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import type { DownloadFile, DownloadManager } from './downloads.ts';
import {
  begin,
  chunkBytes,
  planOf,
  repositoryName,
  setUpDownloads,
  untilEnded,
  untilJob,
} from '../../../test/setup/downloads/download-setup.ts';

const file = 'tiny-Q4_K_M.gguf';
const sizeBytes = 6 * chunkBytes + 99;
const oneFile = { [file]: { sizeBytes, seed: 1 } };
const { signal } = new AbortController();

const untilReceiving = (manager: DownloadManager, id: string) =>
  untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes > 0);

describe('the same request again', () => {
  // covers v1-download-15
  it('starts one job for twenty concurrent requests, with any spelling', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    const manager = setup.manager();
    const spellings = [repositoryName, `https://huggingface.co/${repositoryName}`];
    const jobs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => begin(manager, spellings[index % 2])),
    );
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(1);
    expect(await manager.list()).toHaveLength(1);
  });

  it('resumes a paused job', async () => {
    const setup = await setUpDownloads(oneFile);
    const stall = setup.hub.faults.add({ kind: 'stall', afterBytes: 40_000 });
    const manager = setup.manager();
    const { id } = await begin(manager);
    await untilReceiving(manager, id);
    await manager.pause(id);
    stall.remove();
    setup.hub.faults.release();
    expect(await begin(manager)).toMatchObject({ id, status: 'downloading' });
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  });

  it('needs no job once the files exist, and starts a new one after they are deleted', async () => {
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager();
    const { id } = await begin(manager);
    await untilEnded(manager, id);
    const again = await manager.start({ model: repositoryName }, signal);
    expect(again).toMatchObject({ kind: 'already_downloaded', plan: { name: 'Tiny-GGUF' } });
    await rm(setup.target(file));
    const next = await begin(manager);
    expect(next.id).not.toBe(id);
    expect(await untilEnded(manager, next.id)).toMatchObject({ status: 'completed' });
  });

  it('recognizes files that no job fetched, by their sizes', async () => {
    const setup = await setUpDownloads(oneFile);
    await mkdir(dirname(setup.target(file)), { recursive: true });
    await writeFile(setup.target(file), setup.content(file));
    const start = await setup.manager().start({ model: repositoryName }, signal);
    expect(start.kind).toBe('already_downloaded');
    expect(setup.hub.requests).toEqual([]);
  });
});

describe('pausing', () => {
  it('keeps the received bytes and stops the transfer; resuming continues from there', async () => {
    const setup = await setUpDownloads(oneFile);
    const throttle = setup.hub.faults.add({ kind: 'throttle', bytesPerSecond: 2_000_000 });
    const manager = setup.manager({ transfer: { connectionsPerJob: 1 } });
    const { id } = await begin(manager);
    await untilReceiving(manager, id);
    const paused = await manager.pause(id);
    expect(paused).toMatchObject({ status: 'paused', bytesPerSecond: undefined });
    expect(paused.downloadedBytes).toBeGreaterThan(0);
    expect(await manager.find(id)).toEqual(paused);
    await expect(manager.pause(id)).rejects.toMatchObject({ code: 'conflict' });
    throttle.remove();
    setup.hub.forgetRequests();
    expect(await manager.resume(id)).toMatchObject({
      status: 'downloading',
      downloadedBytes: paused.downloadedBytes,
    });
    await expect(manager.resume(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
    expect(setup.hub.requests.map(({ range }) => range)).not.toContain('bytes=0-65535');
    await expect(manager.pause(id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(manager.cancel(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await setup.isRight(file)).toBe(true);
  });

  it('works for a waiting job', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    const manager = setup.manager({
      concurrentJobs: 1,
      plan: async ({ model }) => ({ ...planOf(setup.hub, model, [file]), name: model }),
    });
    const first = await begin(manager, 'one');
    const second = await begin(manager, 'two');
    expect(second).toMatchObject({ status: 'downloading', bytesPerSecond: 0 });
    expect(second.estimatedCompletionAt).toBeInstanceOf(Date);
    expect(await manager.pause(second.id)).toMatchObject({ status: 'paused' });
    expect(await manager.find(first.id)).toMatchObject({ status: 'downloading' });
    expect((await manager.list()).map(({ plan }) => plan.name)).toHaveLength(2);
    expect(await manager.isUnderWay('acme/two')).toBe(true);
    expect(await manager.isUnderWay('acme/three')).toBe(false);
  });
});

describe('a server that starts again', () => {
  it.each(['closed', 'killed'])('continues with what ran when it was %s', async (how) => {
    const setup = await setUpDownloads(oneFile);
    const stall = setup.hub.faults.add({ kind: 'stall', afterBytes: 40_000 });
    const first = setup.manager();
    const { id } = await begin(first);
    const { downloadedBytes } = await untilReceiving(first, id);
    await first.close();
    const row = await rowOf(setup.store, id);
    expect(row).toMatchObject({ status: 'paused', isPausedByUser: false });
    // Restores the status that a killed process leaves.
    if (how === 'killed') await setup.store.downloads.update({ ...row, status: 'downloading' });
    await expect(begin(first)).rejects.toMatchObject({ code: 'shutting_down' });
    stall.remove();
    setup.hub.faults.release();
    const second = setup.manager();
    await second.continueInterrupted();
    const resumed = await second.find(id);
    expect(resumed.status).toBe('downloading');
    expect(resumed.downloadedBytes).toBeGreaterThanOrEqual(downloadedBytes);
    expect(await untilEnded(second, id)).toMatchObject({ status: 'completed' });
    expect(await setup.isRight(file)).toBe(true);
  });

  it('keeps jobs paused that a client paused', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    const first = setup.manager();
    const { id } = await begin(first);
    await first.pause(id);
    await first.close();
    const second = setup.manager();
    await second.continueInterrupted();
    expect(await second.find(id)).toMatchObject({ status: 'paused' });
  });

  it('reports the bytes that a killed server had on disk, even for a waiting job', async () => {
    const setup = await setUpDownloads({
      ...oneFile,
      'mmproj-f16.gguf': { sizeBytes: 9, seed: 2 },
    });
    const stall = setup.hub.faults.add({ kind: 'stall', afterBytes: 40_000 });
    const first = setup.manager();
    const { id } = await begin(first);
    await untilReceiving(first, id);
    await first.close();
    const row = await rowOf(setup.store, id);
    await setup.store.downloads.update({ ...row, status: 'downloading', downloadedBytes: 0 });
    const second = setup.manager({ concurrentJobs: 0 });
    await second.continueInterrupted();
    expect(await second.find(id)).toMatchObject({
      status: 'downloading',
      downloadedBytes: row.downloadedBytes,
    });
    stall.remove();
  });

  it('removes the remains of cancelled jobs, but nothing of another home', async () => {
    const setup = await setUpDownloads(oneFile);
    const stall = setup.hub.faults.add({ kind: 'stall', afterBytes: 40_000 });
    const first = setup.manager();
    const { id } = await begin(first);
    await untilReceiving(first, id);
    const staging = join(setup.modelsFolder, '.downloads');
    await mkdir(join(staging, 'job_0123456789.cancelled'));
    const otherStore = await temporaryStore();
    const otherHome = setup.manager({ store: otherStore.downloads });
    await otherHome.continueInterrupted();
    expect(await readdir(staging)).toEqual([id]);
    stall.remove();
    setup.hub.faults.release();
    expect(await untilEnded(first, id)).toMatchObject({ status: 'completed' });
    expect(await setup.isRight(file)).toBe(true);
  });

  it('does not fetch files again that were in place before a kill', async () => {
    const files = { ...oneFile, 'mmproj-f16.gguf': { sizeBytes: 2 * chunkBytes, seed: 3 } };
    const setup = await setUpDownloads(files);
    await mkdir(dirname(setup.target(file)), { recursive: true });
    await writeFile(setup.target('mmproj-f16.gguf'), setup.content('mmproj-f16.gguf'));
    const manager = setup.manager();
    const { id } = await begin(manager);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
    expect(setup.hub.requests.filter(({ path }) => path.includes('mmproj'))).toEqual([]);
  });
});

it('removes a cancelled job and its files', async () => {
  const setup = await setUpDownloads(oneFile);
  setup.hub.faults.add({ kind: 'stall', afterBytes: 40_000 });
  const manager = setup.manager();
  const { id } = await begin(manager);
  await untilReceiving(manager, id);
  await manager.cancel(id);
  await expect(manager.find(id)).rejects.toMatchObject({ code: 'job_not_found' });
  await expect(manager.cancel(id)).rejects.toMatchObject({ code: 'job_not_found' });
  expect(await manager.list()).toEqual([]);
  expect(await readdir(join(setup.modelsFolder, '.downloads'))).toEqual([]);
});

describe('places in the library', () => {
  it('uses existing folders with another case', async () => {
    const setup = await setUpDownloads(oneFile);
    await mkdir(join(setup.modelsFolder, 'ACME', 'tiny-gguf'), { recursive: true });
    const manager = setup.manager();
    await untilEnded(manager, (await begin(manager)).id);
    const found = await readFile(join(setup.modelsFolder, 'ACME', 'tiny-gguf', file));
    expect(found.equals(setup.content(file))).toBe(true);
    expect((await readdir(setup.modelsFolder)).toSorted()).toEqual(['.downloads', 'ACME']);
  });

  it('never replaces another file', async () => {
    const setup = await setUpDownloads(oneFile);
    await mkdir(dirname(setup.target(file)), { recursive: true });
    await writeFile(setup.target(file), 'mine');
    const manager = setup.manager();
    const { failure } = await untilEnded(manager, (await begin(manager)).id);
    expect(failure).toMatchObject({ code: 'conflict' });
    expect(failure?.message).toContain(file);
    expect(failure?.message).not.toContain(setup.modelsFolder);
    expect(await readFile(setup.target(file), 'utf8')).toBe('mine');
    expect(setup.hub.requests).toEqual([]);
  });

  it.each([
    ['leads out', '../../outside.gguf'],
    ['is absolute', '/outside.gguf'],
    ['is hidden', '.hidden.gguf'],
    ['is a device of Windows', 'NUL.gguf'],
    ['is in a folder that Windows renames', 'q4. /a.gguf'],
    ['is too deep', 'a/b/c.gguf'],
    ['has a control character', 'a\u0007.gguf'],
    ['is another in another case', file.toUpperCase()],
  ])('rejects a file that %s', async (_, target) => {
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager({
      plan: async ({ model }) => {
        const plan = planOf(setup.hub, model, [file]);
        const [first] = plan.files;
        return { ...plan, files: [...plan.files, { ...(first as DownloadFile), target }] };
      },
    });
    await expect(begin(manager)).rejects.toMatchObject({ code: 'invalid_value' });
    expect(await readdir(setup.modelsFolder)).toEqual([]);
  });
});

describe('room on disk', () => {
  it('is checked first, including the needs of other downloads', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.faults.add({ kind: 'silence' });
    let freeBytes = sizeBytes - 1;
    const manager = setup.manager({
      readFreeBytes: async () => freeBytes,
      plan: async ({ model }) => ({ ...planOf(setup.hub, model, [file]), name: model }),
    });
    const refused = begin(manager, 'one');
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_disk' });
    await expect(refused).rejects.toThrow(/needs .*393,315 bytes.* has .*393,314 bytes/);
    expect(await manager.list()).toEqual([]);
    freeBytes = 2 * sizeBytes - 1;
    await begin(manager, 'one');
    await expect(begin(manager, 'two')).rejects.toThrow('other downloads still need');
    freeBytes = 2 * sizeBytes;
    await begin(manager, 'two');
  });

  it('is checked even if the models folder was moved away', async () => {
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager();
    await rm(setup.modelsFolder, { recursive: true });
    const { id } = await begin(manager);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  });

  it('is needed only for missing bytes', async () => {
    const setup = await setUpDownloads(oneFile);
    const throttle = setup.hub.faults.add({ kind: 'throttle', bytesPerSecond: 2_000_000 });
    let freeBytes = sizeBytes;
    const manager = setup.manager({ readFreeBytes: async () => freeBytes });
    const { id } = await begin(manager);
    await untilReceiving(manager, id);
    const { downloadedBytes } = await manager.pause(id);
    throttle.remove();
    freeBytes = sizeBytes - downloadedBytes - 1;
    await expect(manager.resume(id)).rejects.toMatchObject({ code: 'insufficient_disk' });
    expect(await manager.find(id)).toMatchObject({ status: 'paused' });
    freeBytes += 1;
    await manager.resume(id);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  });
});

it('lists a thousand jobs, newest first', async () => {
  const setup = await setUpDownloads(oneFile);
  const store = await temporaryStore();
  const plan = planOf(setup.hub, repositoryName, [file]);
  for (let index = 0; index < 1000; index += 1) {
    await store.downloads.insert({
      id: `job_${String(index).padStart(10, '0')}`,
      plan,
      status: 'completed',
      isPausedByUser: false,
      totalBytes: sizeBytes,
      downloadedBytes: sizeBytes,
      startedAt: new Date(index),
      completedAt: new Date(index + 1),
      failure: null,
    });
  }
  const jobs = await setup.manager({ store: store.downloads }).list();
  expect(jobs).toHaveLength(1000);
  expect(jobs[0]).toEqual({
    id: 'job_0000000999',
    plan,
    status: 'completed',
    totalBytes: sizeBytes,
    downloadedBytes: sizeBytes,
    startedAt: new Date(999),
    completedAt: new Date(1000),
    failure: null,
    bytesPerSecond: undefined,
    estimatedCompletionAt: undefined,
  });
});

it('deletes the oldest completed jobs', async () => {
  const setup = await setUpDownloads(oneFile);
  const manager = setup.manager({ keptCompletedJobs: 2 });
  for (let round = 0; round < 4; round += 1) {
    const { id } = await begin(manager);
    await untilEnded(manager, id);
    await rm(setup.target(file));
  }
  // The store may not have recorded the last end yet.
  await vi.waitUntil(async () => (await manager.list()).length === 2);
  expect(await manager.list()).toHaveLength(2);
});

type Store = Awaited<ReturnType<typeof temporaryStore>>;

async function rowOf(store: Store, id: string) {
  const row = await store.downloads.find(id);
  if (row === undefined) throw new Error(`no ${id}`);
  return row;
}
