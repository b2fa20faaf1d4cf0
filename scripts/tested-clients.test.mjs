import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testedClients } from '../test/clients/tested-clients.ts';

const read = (path) => readFile(join(import.meta.dirname, '..', path), 'utf8');

it('shows the pinned versions in docs/clients-tested.md', async () => {
  const page = (await read('docs/clients-tested.md')).replaceAll(/ +/g, ' ');
  const rows = page.split('\n').filter((line) => line.includes('` '));
  const expected = await Promise.all(
    testedClients.map(async ({ name, file, packages, api }) => {
      const versions = await Promise.all(
        packages.map(async (each) => `\`${each}\` ${await pinnedVersion(file, each)}`),
      );
      const registry = file.startsWith('npm/') ? 'npm' : 'PyPI';
      return `| ${name} | ${versions.join(', ')} (${registry}) | ${api} |`;
    }),
  );
  const stale = rows.filter((row) => !expected.some((start) => row.startsWith(start)));
  expect(expected.filter((start) => !rows.some((row) => row.startsWith(start)))).toEqual([]);
  expect(stale.filter((row) => row.startsWith('| '))).toEqual([]);
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
