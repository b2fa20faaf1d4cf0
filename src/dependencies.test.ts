import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageFolder } from './package-folder.ts';

it('says of every dependency what it is for', async () => {
  const read = (path: string) => readFile(join(packageFolder, path), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;
  const text = await read('docs/dependencies.md');
  const names = Object.keys({ ...dependencies, ...devDependencies });
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
