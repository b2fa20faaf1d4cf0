import { expect, it } from 'vitest';
import { createLogFilter, type LogFilterOptions, parseLogLine, readLogFile } from './log.ts';
import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const lines = [
  { level: 'info', msg: 'listening' },
  { level: 'debug', msg: 'request', requestId: 'p', path: '/health' },
  { level: 'info', msg: 'model loaded', instance: 'a/b' },
  { level: 'info', msg: 'prompt', requestId: 'r', model: 'a/b' },
  { level: 'info', msg: 'generated', requestId: 'r', model: 'a/b' },
  { level: 'info', msg: 'request', requestId: 'r' },
  { level: 'warn', msg: 'download failed' },
  { level: 'error', msg: 'request failed', requestId: 's' },
];

function shown(options: Partial<LogFilterOptions> = {}): readonly number[] {
  const isShown = createLogFilter({
    level: 'info',
    model: undefined,
    requestId: undefined,
    showsPrompts: false,
    ...options,
  });
  return [...lines.keys()].filter((index) => isShown(lines[index]));
}

it('hides polls and prompts', () => {
  expect(shown()).toEqual([0, 2, 4, 5, 6, 7]);
  expect(shown({ level: 'debug' })).toEqual([0, 1, 2, 4, 5, 6, 7]);
});

it('chooses by level, model and request', () => {
  expect(shown({ level: 'warn' })).toEqual([6, 7]);
  expect(shown({ level: 'error' })).toEqual([7]);
  expect(shown({ model: 'a/b' })).toEqual([2, 4, 5]);
  expect(shown({ model: 'a/b', showsPrompts: true })).toEqual([2, 3, 4, 5]);
  expect(shown({ requestId: 'r', showsPrompts: true })).toEqual([3, 4, 5]);
  expect(shown({ requestId: 'none' })).toEqual([]);
});

it('shows text of another origin unless the choice is about something', () => {
  const base = { level: 'info', showsPrompts: false } as const;
  const all = createLogFilter({ ...base, model: undefined, requestId: undefined });
  expect(all(parseLogLine('Segmentation fault'))).toBe(true);
  expect(all(parseLogLine('{"level":"info"'))).toBe(true);
  expect(createLogFilter({ ...base, model: 'a', requestId: undefined })(undefined)).toBe(false);
});

const { signal: never } = new AbortController();

async function read(file: string, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of readLogFile(file, { lines: count, follows: false, signal: never })) {
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

it('follows a file that ends within a line', async () => {
  const file = join(await temporaryFolder(), 'server.log');
  await writeFile(file, 'one\ntwo é');
  const stopped = new AbortController();
  const followed = readLogFile(file, { lines: 10, follows: true, signal: stopped.signal });
  expect((await followed.next()).value).toBe('one');
  await appendFile(file, 'nd\n');
  expect((await followed.next()).value).toBe('two énd');
  stopped.abort();
});

it('follows a file that is created, grows in parts of lines, and is rotated', async () => {
  const file = join(await temporaryFolder(), 'server.log');
  const stopped = new AbortController();
  const followed = readLogFile(file, { lines: 10, follows: true, signal: stopped.signal });
  const next = async (): Promise<unknown> => (await followed.next()).value;
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
