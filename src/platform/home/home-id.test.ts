import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { ensureHomeId, readHomeId } from './home-id.ts';

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

it('creates an id once', async () => {
  expect(await readHomeId(home)).toBeUndefined();
  const id = await ensureHomeId(home);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await ensureHomeId(home)).toBe(id);
  expect(await readHomeId(home)).toBe(id);
});

it.each(['', 'home', '\u001b[2J'])('replaces %j, which is not an id', async (text) => {
  await writeFile(join(home, 'home-id'), text);
  expect(await readHomeId(home)).toBeUndefined();
  expect(await ensureHomeId(home)).toMatch(/^[0-9a-f-]{36}$/);
});
