import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testedClients } from '../test/clients/tested-clients.ts';

const read = (path) => readFile(join(import.meta.dirname, '..', path), 'utf8');

it('shows the pinned versions in docs/clients-tested.md', async () => {
  const page = await read('docs/clients-tested.md');
  const shown = testedClients.flatMap(({ file, packages }) =>
    packages.filter((name) => page.includes(`\`${name}\` `)).map((name) => ({ file, name })),
  );
  expect(shown.length).toBeGreaterThan(0);
  const pinned = await Promise.all(
    shown.map(async ({ file, name }) => `\`${name}\` ${await pinnedVersion(file, name)}`),
  );
  expect(pinned.filter((each) => !page.includes(each))).toEqual([]);
});

async function pinnedVersion(file, name) {
  if (file.startsWith('npm/')) {
    const { dependencies, optionalDependencies } = JSON.parse(
      await read('test/clients/package.json'),
    );
    return { ...dependencies, ...optionalDependencies }[name];
  }
  const folder = /^python\/(.*)\//.test(file) ? file.replace(/\/[^/]*$/, '') : '.';
  const locked = await read(join('test/clients', folder, 'requirements.txt'));
  return locked.match(new RegExp(`^${name}==(\\S+)$`, 'm'))?.[1];
}
