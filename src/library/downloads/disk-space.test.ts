import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { DiskSpace } from './disk-space.ts';

const diskWith = async (freeBytes: number) =>
  new DiskSpace(await temporaryFolder(), async () => freeBytes);

it('accepts exactly the free space', async () => {
  const disk = await diskWith(100);
  await expect(disk.assertRoom(100, 0)).resolves.toBeUndefined();
  await expect(disk.assertRoom(40, 60)).resolves.toBeUndefined();
  await expect(disk.assertRoom(101, 0)).rejects.toMatchObject({ code: 'insufficient_disk' });
  await expect(disk.assertRoom(40, 61)).rejects.toMatchObject({ code: 'insufficient_disk' });
});

it.each([
  [
    { needed: 12, promised: 0, free: 11 },
    'The download needs 12 bytes more, and the disk of the models has 11 bytes free. Make room and ask again; it continues where it stopped.',
  ],
  [
    { needed: 999_999, promised: 1_000_000, free: 99_999_999 },
    'The download needs 999,999 bytes more, and the disk of the models has 0.100 GB (99,999,999 bytes) free, of which other downloads still need 0.001 GB (1,000,000 bytes). Make room and ask again; it continues where it stopped.',
  ],
  [
    { needed: 4_100_000_000, promised: 0, free: 100_000_000 },
    'The download needs 4.1 GB (4,100,000,000 bytes) more, and the disk of the models has 0.1 GB (100,000,000 bytes) free. Make room and ask again; it continues where it stopped.',
  ],
])('reports the needed and the free bytes: %o', async ({ needed, promised, free }, message) => {
  const disk = await diskWith(free);
  expect(await disk.shortage(needed, promised)).toMatchObject({
    code: 'insufficient_disk',
    message,
  });
});

it('queries the disk of a folder, which it creates', async () => {
  const folder = join(await temporaryFolder(), 'deep', 'models');
  const disk = new DiskSpace(folder);
  await disk.assertRoom(1, 0);
  await expect(access(folder)).resolves.toBeUndefined();
  // If blocks were counted as bytes, the result would be far too small or larger than any disk.
  await disk.assertRoom(1024 * 1024, 0);
  await expect(disk.assertRoom(2 ** 60, 0)).rejects.toMatchObject({ code: 'insufficient_disk' });
});
