import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createPrivateFolder } from './create-private-folder.ts';

it('creates a folder with its parents, and accepts one that exists', async () => {
  const folder = join(await temporaryFolder(), 'a/b');
  await createPrivateFolder(folder);
  await createPrivateFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o700);
});

it('reports the reason of the system', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  await expect(createPrivateFolder(join(file, 'home'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
