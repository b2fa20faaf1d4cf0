import { copyFile, mkdir, rename, rm, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { starterPath } from '../../../test/setup/engine/test-engines.ts';
import { openFrom, scriptedPoolWith } from '../../../test/setup/instances/scripted-pool.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { createModelLibrary } from '../../library/library.ts';
import { modelFingerprint } from './target-resolver.ts';
import { createLogger } from '../../telemetry/logger.ts';

const key = 'me/model';

describe('a model whose file is replaced while it is loaded', () => {
  let file = '';
  let folder = '';

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, key, 'model-q8_0.gguf');
    await mkdir(join(folder, key), { recursive: true });
    await copyFile(starterPath('chat'), file);
  });

  function setUp() {
    const library = createModelLibrary({
      roots: [{ folder }],
      logger: createLogger('silent'),
      signal: new AbortController().signal,
    });
    return scriptedPoolWith({ library, fingerprint: modelFingerprint });
  }

  async function replaceFile(): Promise<void> {
    await copyFile(starterPath('chat'), `${file}.new`);
    await rename(`${file}.new`, file);
  }

  it('is loaded again by the next request', async () => {
    const { pool, launcher } = setUp();
    (await openFrom(pool, key)).close();
    (await openFrom(pool, key)).close();
    expect(launcher.launchCount()).toBe(1);
    await replaceFile();
    (await openFrom(pool, key)).close();
    expect(launcher.launchCount()).toBe(2);
    await vi.waitFor(() => expect(launcher.processes[0]?.isStopped()).toBe(true));
    expect(pool.list()).toMatchObject([{ id: key, state: 'ready' }]);
  });

  it('is noticed if only its time or its size differs', async () => {
    const { pool, launcher } = setUp();
    (await openFrom(pool, key)).close();
    await utimes(file, new Date(0), new Date(0));
    (await openFrom(pool, key)).close();
    expect(launcher.launchCount()).toBe(2);
  });

  it('lets the requests of the old engine end', async () => {
    const { pool, launcher } = setUp();
    const running = await openFrom(pool, key);
    await replaceFile();
    const next = await openFrom(pool, key);
    expect(launcher.launchCount()).toBe(2);
    expect(running.lease.context.signal.aborted).toBe(false);
    expect(launcher.processes[0]?.isStopped()).toBe(false);
    expect(pool.list()).toHaveLength(1);
    running.close();
    await vi.waitFor(() => expect(launcher.processes[0]?.isStopped()).toBe(true));
    expect(launcher.processes[1]?.isStopped()).toBe(false);
    next.close();
  });

  it('stops the old engine with the pool', async () => {
    const { pool, launcher } = setUp();
    await openFrom(pool, key);
    await replaceFile();
    await openFrom(pool, key);
    await pool.close();
    expect(launcher.processes.map((each) => each.isStopped())).toEqual([true, true]);
  });

  it('keeps the settings and the name of an instance that was loaded by name', async () => {
    const { pool, launcher } = setUp();
    const options = { identifier: 'mine', contextLength: 512, parallel: 1, ttlSeconds: 7 };
    await pool.load(key, options, testContext());
    await replaceFile();
    const lease = await openFrom(pool, 'mine');
    expect(lease.lease.instance.id).toBe('mine');
    expect(launcher.launchCount()).toBe(2);
    expect(pool.list()).toMatchObject([
      { id: 'mine', isExplicit: true, ttlSeconds: 7, config: { contextLength: 512, parallel: 1 } },
    ]);
  });

  it('is not used again if the new file is not a model', async () => {
    const { pool, launcher } = setUp();
    (await openFrom(pool, key)).close();
    await truncate(file, 100);
    await expect(openFrom(pool, key)).rejects.toMatchObject({ code: 'corrupt_file' });
    await vi.waitFor(() => expect(launcher.processes[0]?.isStopped()).toBe(true));
    expect(pool.list()).toEqual([]);
  });

  it('stays in use if the file is gone', async () => {
    const { pool, launcher } = setUp();
    (await openFrom(pool, key)).close();
    await rm(file);
    (await openFrom(pool, key)).close();
    expect(launcher.launchCount()).toBe(1);
  });
});
