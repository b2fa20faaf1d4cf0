import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readOwnerToken, removeOwnerToken, writeOwnerToken } from './owner-token.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hearth-owner-'));
});
afterEach(() => rm(home, { recursive: true }));

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
