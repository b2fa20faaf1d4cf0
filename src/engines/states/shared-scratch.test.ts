import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { tryFileLock } from '../../platform/files/file-lock.ts';
import { claimShared, removeAbandoned } from './shared-scratch.ts';

let parent: string;
beforeEach(async () => {
  parent = await temporaryFolder();
});

const nameOf = (digit: string) => `hearth-${digit.repeat(16)}`;

/** Creates the folder of a killed server: with a file, and a lock that no process holds. */
async function leave(name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  tryFileLock(join(folder, 'lock'))?.release();
  await writeFile(join(folder, 'slot.bin'), 'x');
  return folder;
}

async function claim(folder: string) {
  const claimed = await claimShared(folder);
  onTestFinished(() => claimed.remove());
  return claimed;
}

describe.skipIf(process.platform === 'win32')('claimShared', () => {
  it('replaces what a killed server left, with a folder that only the user can open', async () => {
    const folder = await leave(nameOf('a'));
    const claimed = await claim(folder);
    expect(await readdir(folder)).not.toContain('slot.bin');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(parent)).toEqual([nameOf('a')]);
    await claimed.remove();
    expect(await readdir(parent)).toEqual([]);
  });

  it('leaves nothing behind if it cannot take the place', async () => {
    await writeFile(join(parent, 'file'), '');
    await expect(claimShared(join(parent, 'file', nameOf('a')))).rejects.toThrow('ENOTDIR');
    expect(await readdir(parent)).toEqual(['file']);
  });
});

describe.skipIf(process.platform === 'win32')('removeAbandoned', () => {
  it('removes the folders of killed servers, and no others', async () => {
    await claim(join(parent, nameOf('a')));
    await leave(nameOf('b'));
    await leave(`${nameOf('c')}.0123456789ab`);
    await leave('hearth-mine');
    await mkdir(join(parent, nameOf('d')));
    await writeFile(join(parent, nameOf('e')), '');
    const elsewhere = await temporaryFolder();
    await writeFile(join(elsewhere, 'lock'), '');
    await symlink(elsewhere, join(parent, nameOf('f')));
    expect(await removeAbandoned(parent)).toBe(2);
    expect((await readdir(parent)).toSorted()).toEqual(
      [nameOf('a'), nameOf('d'), nameOf('e'), nameOf('f'), 'hearth-mine'].toSorted(),
    );
    expect(await readdir(elsewhere)).toEqual(['lock']);
    expect(await removeAbandoned(parent)).toBe(0);
  });
});
