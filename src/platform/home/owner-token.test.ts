import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { readOwnerToken, removeOwnerToken, writeOwnerToken } from './owner-token.ts';

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

it('keeps the latest token, readable by the owner only', async () => {
  expect(await readOwnerToken(home)).toBeUndefined();
  await writeOwnerToken(home, 'first');
  await writeOwnerToken(home, 'second');
  expect(await readOwnerToken(home)).toBe('second');
  const { mode } = await stat(join(home, 'owner-token'));
  expect((mode & 0o777).toString(8)).toBe('600');
  await removeOwnerToken(home);
  await removeOwnerToken(home);
  expect(await readOwnerToken(home)).toBeUndefined();
});
