import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageFolder } from './package-folder.ts';

it('says of every dependency what it is for', async () => {
  const read = (path: string) => readFile(join(packageFolder, path), 'utf8');
  const namesOf = async (path: string) => {
    const { dependencies, devDependencies } = JSON.parse(await read(path)) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >;
    return Object.keys({ ...dependencies, ...devDependencies });
  };
  const text = await read('docs/dependencies.md');
  const names = [...(await namesOf('package.json')), ...(await namesOf('web/package.json'))];
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
