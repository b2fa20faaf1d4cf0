import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createModelLibrary } from '../library.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { begin, setUpDownloads, untilEnded } from '../../../test/setup/downloads/download-setup.ts';

const mebibyte = 1024 * 1024;

it('fails if the disk becomes full, and continues after space is freed', async ({ skip }) => {
  const disk = await mkdtemp(join(tmpdir(), 'hearth-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${2 * mebibyte}`, 'tmpfs', disk];
    execFileSync('mount', options, { stdio: 'pipe' });
  } catch {
    await rm(disk, { recursive: true });
    skip('a small disk cannot be mounted here');
  }
  onTestFinished(async () => {
    execFileSync('umount', [disk]);
    await rm(disk, { recursive: true });
  });
  const modelsFolder = join(disk, 'models');
  await mkdir(modelsFolder);
  await writeFile(join(disk, 'filler'), Buffer.alloc(mebibyte));
  const setup = await setUpDownloads({ 'tiny.gguf': { sizeBytes: 1.5 * mebibyte, seed: 4 } });
  const library = createModelLibrary({
    roots: [{ folder: modelsFolder }],
    logger: createLogger('silent'),
    signal: new AbortController().signal,
  });
  const looks: number[] = [];
  const manager = setup.manager({
    modelsFolder,
    library,
    // The disk fills up after the check.
    readFreeBytes: async () => (looks.push(1) <= 2 ? 1e9 : 123),
  });
  const { id } = await begin(manager);
  const failed = await untilEnded(manager, id);
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'insufficient_disk' } });
  expect(failed.failure?.message).toMatch(/needs .* bytes.* more.* has 123 bytes free/);
  expect(failed.downloadedBytes).toBeGreaterThan(0);
  looks.length = 0;
  await rm(join(disk, 'filler'));
  const resumed = await begin(manager);
  expect(resumed).toMatchObject({ id, downloadedBytes: failed.downloadedBytes });
  expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed', failure: null });
  await manager.close();
});
