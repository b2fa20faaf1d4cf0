import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { renameWithRetry } from './rename-with-retry.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('renameWithRetry', () => {
  it('renames a file', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a'), 'text');
    await renameWithRetry(join(folder, 'a'), join(folder, 'b'));
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('text');
  });

  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows after %s', async (code) => {
    const move = vi
      .fn<(from: string, to: string) => Promise<void>>()
      .mockRejectedValueOnce(failure(code))
      .mockRejectedValueOnce(failure(code));
    await renameWithRetry('a', 'b', { platform: 'win32', move });
    expect(move).toHaveBeenCalledTimes(3);
  });

  it('gives up after some time', async () => {
    vi.useFakeTimers();
    try {
      const move = vi
        .fn<(from: string, to: string) => Promise<void>>()
        .mockRejectedValue(failure('EBUSY'));
      const renaming = renameWithRetry('a', 'b', { platform: 'win32', move });
      const outcome = renaming.catch((error: unknown) => error);
      await vi.runAllTimersAsync();
      expect(await outcome).toMatchObject({ code: 'EBUSY' });
      expect(move).toHaveBeenCalledTimes(9);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['win32', 'ENOENT'],
    ['linux', 'EACCES'],
    ['darwin', 'EPERM'],
  ] as const)('reports other errors at once: %s, %s', async (platform, code) => {
    const move = vi
      .fn<(from: string, to: string) => Promise<void>>()
      .mockRejectedValue(failure(code));
    await expect(renameWithRetry('a', 'b', { platform, move })).rejects.toThrow(code);
    expect(move).toHaveBeenCalledTimes(1);
  });
});
