import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { readLogFile } from './read-log-file.ts';

const { signal: never } = new AbortController();

async function read(file: string, lines: number): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of readLogFile(file, { lines, follows: false, signal: never })) {
    all.push(line);
  }
  return all;
}

it('gives the latest lines, those of the file before it if there are too few', async () => {
  const file = join(await temporaryFolder(), 'server.log');
  await writeFile(file, 'c\nd\n');
  expect(await read(file, 10)).toEqual(['c', 'd']);
  await writeFile(`${file}.1`, 'a\nb\n');
  expect(await read(file, 3)).toEqual(['b', 'c', 'd']);
  expect(await read(file, 1)).toEqual(['d']);
  expect(await read(file, 0)).toEqual([]);
});

it('fails without a file', async () => {
  const file = join(await temporaryFolder(), 'server.log');
  await expect(read(file, 1)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('follows a file that is created, grows in parts of lines, and is rotated', async () => {
  const file = join(await temporaryFolder(), 'server.log');
  const stopped = new AbortController();
  const lines = readLogFile(file, { lines: 10, follows: true, signal: stopped.signal });
  const next = async (): Promise<unknown> => (await lines.next()).value;
  const first = next();
  await writeFile(file, 'one\ntwo é');
  expect(await first).toBe('one');
  const second = next();
  await appendFile(file, 'nd\n');
  expect(await second).toBe('two énd');
  await truncate(file, 0);
  const third = next();
  await appendFile(file, 'x\n');
  expect(await third).toBe('x');
  const end = next();
  stopped.abort();
  expect(await end).toBeUndefined();
});
