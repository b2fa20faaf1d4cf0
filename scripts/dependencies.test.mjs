import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path) => readFile(join(import.meta.dirname, '..', path), 'utf8');

async function namesOf(path) {
  const { dependencies, devDependencies } = JSON.parse(await read(path));
  return Object.keys({ ...dependencies, ...devDependencies });
}

it('says of every dependency what it is for', async () => {
  const text = await read('docs/contributing/dependencies.md');
  const names = [...(await namesOf('package.json')), ...(await namesOf('web/package.json'))];
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
