import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { publishFolder, removeStaleStaging, withStagingFolder } from './staging.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

describe('staging', () => {
  it('removes only the folder of a killed process', async () => {
    const killed = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(killed, 'exit');
    await mkdir(join(folder, `.staging-${killed.pid}-left`));
    await mkdir(join(folder, `.staging-${process.ppid}-at-work`));
    await mkdir(join(folder, 'a-runtime'));
    await withStagingFolder(folder, async (own) => {
      await removeStaleStaging(folder);
      const names = [`.staging-${process.ppid}-at-work`, 'a-runtime', own.slice(folder.length + 1)];
      expect((await readdir(folder)).toSorted()).toStrictEqual(names.toSorted());
    });
  });

  it('publishes a complete folder, or keeps the existing one', async () => {
    const target = join(folder, 'target');
    for (const [name, isFirst] of [['one', true] as const, ['two', false] as const]) {
      await mkdir(join(folder, name, name), { recursive: true });
      expect(await publishFolder(join(folder, name), target)).toBe(isFirst);
    }
    expect(await readdir(target)).toStrictEqual(['one']);
    await expect(publishFolder(join(folder, 'missing'), join(folder, 'other'))).rejects.toThrow(
      'ENOENT',
    );
  });
});
