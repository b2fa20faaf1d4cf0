import { closeSync, openSync, writeSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { isOpenOn, withRotation } from './log-rotation.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const file = join(folder, 'server.log');
  const descriptor = openSync(file, 'a', 0o644);
  onTestFinished(() => closeSync(descriptor));
  const destination = { write: (line: string) => void writeSync(descriptor, line) };
  const log = withRotation({ destination, descriptor, file, maxBytes: 1000 });
  return { folder, file, descriptor, log };
}

const line = (number: number): string => `${String(number).padStart(99, '0')}\n`;

it('keeps every line in order over the files, in a bounded number of private files', async () => {
  const { folder, file, log } = await setUp();
  for (let number = 0; number < 35; number += 1) log.write(line(number));
  expect((await readdir(folder)).toSorted()).toEqual([
    'server.log',
    'server.log.1',
    'server.log.2',
    'server.log.3',
  ]);
  const names = ['.3', '.2', '.1', ''];
  const texts = await Promise.all(names.map((name) => readFile(file + name, 'utf8')));
  expect(texts.join('')).toBe(Array.from({ length: 35 }, (_, number) => line(number)).join(''));
  for (let number = 35; number < 100; number += 1) log.write(line(number));
  expect(await readdir(folder)).toHaveLength(4);
  for (const name of names) expect((await stat(file + name)).size).toBeLessThan(1300);
  expect((await stat(`${file}.1`)).mode & 0o777).toBe(0o600);
});

it('lets another process write to the same descriptor', async () => {
  const { file, descriptor, log } = await setUp();
  for (let number = 0; number < 11; number += 1) log.write(line(number));
  writeSync(descriptor, 'crash\n');
  expect(await readFile(file, 'utf8')).toBe('crash\n');
});

it('keeps the log if the file cannot be copied', async () => {
  const { folder, file, log } = await setUp();
  // A folder in the way of the copy.
  await writeFile(join(folder, 'x'), '');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(`${file}.0/full`, { recursive: true });
  for (let number = 0; number < 20; number += 1) log.write(line(number));
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(21);
});

it('knows whether a descriptor is the file', async () => {
  const { folder, file, descriptor } = await setUp();
  expect(isOpenOn(descriptor, file)).toBe(true);
  await writeFile(join(folder, 'other'), '');
  expect(isOpenOn(descriptor, join(folder, 'other'))).toBe(false);
  expect(isOpenOn(descriptor, join(folder, 'absent'))).toBe(false);
  expect(isOpenOn(2, file)).toBe(false);
});
