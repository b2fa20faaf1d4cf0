import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishFile, publishingOrder } from './staging.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

const { signal } = new AbortController();

it('publishes what makes a model visible last', () => {
  const order = (...targets: string[]) =>
    publishingOrder(targets.map((target) => ({ target }))).map(({ target }) => target);
  expect(order('a-00001-of-00002.gguf', 'mmproj-a.gguf', 'a-00002-of-00002.gguf')).toEqual([
    'mmproj-a.gguf',
    'a-00002-of-00002.gguf',
    'a-00001-of-00002.gguf',
  ]);
  expect(order('config.json', 'model.safetensors', 'tokenizer.json').at(-1)).toBe('config.json');
});

it('moves a file to its place, but never over another', async () => {
  const folder = await temporaryFolder();
  const [source, target] = [join(folder, 'part'), join(folder, 'a', 'b', 'model.gguf')];
  await writeFile(source, 'first');
  await publishFile(source, target, signal);
  expect(await readdir(folder)).toEqual(['a']);
  await writeFile(source, 'second');
  await expect(publishFile(source, target, signal)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(target, 'utf8')).toBe('first');
  expect(await readFile(source, 'utf8')).toBe('second');
});
