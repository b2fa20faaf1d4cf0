import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { openScratchFolder } from './scratch-folder.ts';

const logger = createLogger('silent');

describe('openScratchFolder', () => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryFolder();
  });

  it('uses the home folder where the system has no file system in memory', async () => {
    const scratch = await openScratchFolder({ home, logger, memoryFolders: [home, '/nowhere'] });
    expect(scratch.isMemory).toBe(false);
    const folder = await scratch.create();
    expect(folder.startsWith(join(home, 'warm-state', 'scratch'))).toBe(true);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await scratch.freeBytes()).toBeGreaterThan(0);
    await scratch.remove();
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });

  it('empties what a killed server left, and does not follow links', async () => {
    const folder = join(home, 'warm-state', 'scratch');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'left.bin'), 'x');
    await openScratchFolder({ home, logger, memoryFolders: [] });
    expect(await readdir(folder)).toEqual([]);

    const other = await temporaryFolder();
    await writeFile(join(other, 'precious'), 'x');
    const linked = await temporaryFolder();
    await mkdir(join(linked, 'warm-state'));
    await symlink(other, join(linked, 'warm-state', 'scratch'));
    await openScratchFolder({ home: linked, logger, memoryFolders: [] });
    expect(await readdir(other)).toEqual(['precious']);
    expect((await stat(join(linked, 'warm-state', 'scratch'))).isDirectory()).toBe(true);
  });
});
