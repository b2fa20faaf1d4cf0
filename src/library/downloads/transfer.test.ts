import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HubFault } from '../../../test/setup/hub/fake-hub-faults.ts';
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
const sizeBytes = 10 * chunkBytes + 1234;
const oneFile = { [file]: { sizeBytes, seed: 1 } };

describe('a download', () => {
  it('places every file in the library, complete and verified, and leaves nothing behind', async () => {
    const files = {
      ...oneFile,
      'mmproj-tiny-f16.gguf': { sizeBytes: 3 * chunkBytes, seed: 2 },
      'sub/note.txt': Buffer.from('small'),
      'empty.txt': Buffer.alloc(0),
    };
    const setup = await setUpDownloads(files);
    const manager = setup.manager();
    const { id, totalBytes, status } = await begin(manager);
    expect([status, totalBytes]).toEqual(['downloading', sizeBytes + 3 * chunkBytes + 5]);
    const job = await untilEnded(manager, id);
    expect(job).toMatchObject({ status: 'completed', downloadedBytes: totalBytes, failure: null });
    expect(job.completedAt).toBeInstanceOf(Date);
    expect(job.bytesPerSecond).toBeUndefined();
    for (const path of Object.keys(files)) expect(await setup.isRight(path)).toBe(true);
    expect(await readdir(join(setup.modelsFolder, '.downloads'))).toEqual([]);
  });

  it('fetches chunks in parallel, each byte once', async () => {
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager();
    await untilEnded(manager, (await begin(manager)).id);
    const ranges = setup.hub.requests.map(({ range }) => range);
    expect(new Set(ranges).size).toBe(11);
    expect(ranges).toHaveLength(11);
  });

  // covers v1-download-12
  it.each<[string, readonly HubFault[]]>([
    ['a server that is busy', [{ kind: 'status', status: 429, retryAfter: '0', times: 2 }]],
    ['a server that fails', [{ kind: 'status', status: 503, times: 2 }]],
    ['connections that are reset', [{ kind: 'reset', afterBytes: 20_000, times: 5 }]],
    ['answers that are cut off', [{ kind: 'truncate', afterBytes: 20_000, times: 5 }]],
    ['answers that end early', [{ kind: 'short', afterBytes: 20_000, times: 5 }]],
    ['a wrong range once', [{ kind: 'wrong_range', shiftBytes: 1, times: 1 }]],
    ['too many bytes once', [{ kind: 'long', extraBytes: 1, times: 1 }]],
    ['a server without ranges', [{ kind: 'ignore_range' }]],
    ['a server without ranges from some time on', [{ kind: 'ignore_range', times: 3 }]],
    [
      'a server without ranges that breaks off',
      [{ kind: 'ignore_range' }, { kind: 'reset', afterBytes: 300_000, times: 3 }],
    ],
    ['a byte that went wrong on its way', [{ kind: 'corrupt', atByte: 200_000, times: 1 }]],
    [
      'a corrupted byte, without ranges',
      [{ kind: 'ignore_range' }, { kind: 'corrupt', atByte: 200_000, times: 1 }],
    ],
  ])('copes with %s', async (_, faults) => {
    const setup = await setUpDownloads(oneFile);
    for (const fault of faults) setup.hub.faults.add(fault);
    const manager = setup.manager();
    const { status, failure } = await untilEnded(manager, (await begin(manager)).id);
    expect({ status, failure }).toEqual({ status: 'completed', failure: null });
    expect(await setup.isRight(file)).toBe(true);
  });

  it.each<[string, HubFault, string, string]>([
    ['keeps failing', { kind: 'status', status: 500 }, 'hub_unreachable', 'answered 500'],
    ['keeps breaking off', { kind: 'reset', afterBytes: 0 }, 'hub_unreachable', 'was interrupted'],
    [
      'always answers with another range',
      { kind: 'wrong_range', shiftBytes: 7 },
      'hub_unreachable',
      'answered with another range',
    ],
    [
      'says another size in its ranges',
      { kind: 'wrong_total', totalBytes: 99 },
      'hub_unreachable',
      `with ${sizeBytes} bytes, but the file it sends has 99`,
    ],
    ['refuses', { kind: 'status', status: 403 }, 'gated_repository', 'hub.token'],
    ['lost the file', { kind: 'status', status: 404 }, 'model_not_found', 'no longer has a file'],
    [
      'redirects without end',
      { kind: 'redirect', location: 'loop' },
      'hub_unreachable',
      'redirected more than',
    ],
    [
      'always sends a wrong byte',
      { kind: 'corrupt', atByte: 5 },
      'checksum_mismatch',
      'also after every part of it was fetched again',
    ],
  ])('fails with a clear message if the hub %s, and resumes', async (_, fault, code, text) => {
    const setup = await setUpDownloads(oneFile);
    const active = setup.hub.faults.add(fault);
    const manager = setup.manager();
    const { id } = await begin(manager);
    const job = await untilEnded(manager, id);
    expect(job).toMatchObject({ status: 'failed', failure: { code } });
    expect(job.failure?.message).toContain(text);
    expect(await readdir(setup.modelsFolder)).toEqual(['.downloads']);
    active.remove();
    expect((await begin(manager, `https://hub/${repositoryName}`)).id).toBe(id);
    expect((await untilEnded(manager, id)).failure).toBeNull();
    expect(await setup.isRight(file)).toBe(true);
  });

  it.each([
    ['more', sizeBytes - 1000],
    ['fewer', sizeBytes + chunkBytes],
  ])('fails with both numbers if the hub has %s bytes than it lists', async (_, listed) => {
    const setup = await setUpDownloads(oneFile);
    const manager = setup.manager({
      plan: async (request) => {
        const plan = planOf(setup.hub, request.model, [file]);
        return { ...plan, files: plan.files.map((one) => ({ ...one, sizeBytes: listed })) };
      },
    });
    const { failure } = await untilEnded(manager, (await begin(manager)).id);
    expect(failure).toMatchObject({ code: 'hub_unreachable' });
    expect(failure?.message).toContain(`${listed} bytes, but the file it sends has ${sizeBytes}`);
  });

  it('closes a silent connection, and continues', async () => {
    const setup = await setUpDownloads(oneFile, 200);
    setup.hub.faults.add({ kind: 'stall', afterBytes: 1000, times: 2 });
    setup.hub.faults.add({ kind: 'silence', times: 1 });
    const manager = setup.manager();
    expect((await untilEnded(manager, (await begin(manager)).id)).failure).toBeNull();
    expect(await setup.isRight(file)).toBe(true);
  });

  it('follows redirects of the hub with its ranges', async () => {
    const setup = await setUpDownloads(oneFile);
    setup.hub.isRedirectingToCdn = true;
    const manager = setup.manager();
    expect((await untilEnded(manager, (await begin(manager)).id)).failure).toBeNull();
    expect(await setup.isRight(file)).toBe(true);
    const served = setup.hub.requests.filter(({ server }) => server === 'cdn');
    expect(served.every(({ range }) => range !== undefined)).toBe(true);
  });

  it('fetches only the chunk again that the disk lost', async () => {
    const setup = await setUpDownloads(oneFile);
    const throttle = setup.hub.faults.add({ kind: 'throttle', bytesPerSecond: 5_000_000 });
    const manager = setup.manager({ transfer: { connectionsPerJob: 1 } });
    const { id } = await begin(manager);
    await untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes > 2 * chunkBytes);
    await manager.pause(id);
    const part = join(setup.modelsFolder, '.downloads', id, '0.part');
    const handle = await open(part, 'r+');
    await handle.write(Buffer.alloc(10, 0xee), 0, 10, 100);
    await handle.close();
    throttle.remove();
    setup.hub.forgetRequests();
    await manager.resume(id);
    expect((await untilEnded(manager, id)).failure).toBeNull();
    expect(await setup.isRight(file)).toBe(true);
    const ranges = setup.hub.requests.map(({ range }) => range);
    expect(ranges.filter((range) => range === `bytes=0-${chunkBytes - 1}`)).toHaveLength(1);
    expect(ranges).not.toContain(`bytes=${chunkBytes}-${2 * chunkBytes - 1}`);
  });
});
