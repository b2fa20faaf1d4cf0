import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pinnedVersion, registryOf } from '../test/clients/pinned-version.ts';
import { testedClients } from '../test/clients/tested-clients.ts';

const read = (path) => readFile(join(import.meta.dirname, '..', path), 'utf8');

it('shows the pinned versions in docs/contributing/clients-tested.md', async () => {
  const page = (await read('docs/contributing/clients-tested.md')).replaceAll(/ +/g, ' ');
  const rows = page.split('\n').filter((line) => line.includes('` '));
  const expected = await Promise.all(
    testedClients.map(async ({ name, file, packages, api }) => {
      const versions = await Promise.all(
        packages.map(async (each) => `\`${each}\` ${await pinnedVersion(file, each)}`),
      );
      return `| ${name} | ${versions.join(', ')} (${registryOf(file)}) | ${api} |`;
    }),
  );
  const stale = rows.filter((row) => !expected.some((start) => row.startsWith(start)));
  expect(expected.filter((start) => !rows.some((row) => row.startsWith(start)))).toEqual([]);
  expect(stale.filter((row) => row.startsWith('| '))).toEqual([]);
});
