import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundledPackages, licenseTexts } from './bundled-packages.mjs';

it('lists the packages with code in a bundle', () => {
  const inputs = {
    'src/cli/main.ts': { bytesInOutput: 10 },
    'node_modules/hono/dist/hono.js': { bytesInOutput: 10 },
    'node_modules/hono/dist/router.js': { bytesInOutput: 10 },
    'node_modules/ajv/node_modules/fast-uri/index.js': { bytesInOutput: 10 },
    'node_modules/@opentelemetry/api/index.js': { bytesInOutput: 10 },
    'node_modules/sharp/index.js': { bytesInOutput: 0 },
  };
  expect(bundledPackages({ outputs: { 'main.js': { inputs } } })).toEqual([
    'node_modules/@opentelemetry/api',
    'node_modules/ajv/node_modules/fast-uri',
    'node_modules/hono',
  ]);
});

it('contains the license and the notice of a package', async () => {
  const folder = await packageFolder('MIT', { LICENSE: 'Terms\n', 'NOTICE.txt': 'Authors\n' });
  expect(await licenseTexts([folder])).toBe('parts 1.0.0 (MIT)\n\nTerms\n\nAuthors\n');
});

it('rejects a license that is not allowed', async () => {
  const folder = await packageFolder('GPL-3.0', { LICENSE: 'Terms' });
  await expect(licenseTexts([folder])).rejects.toThrow('its license GPL-3.0 is not one');
});

it('rejects a package without the text of its license', async () => {
  const folder = await packageFolder('MIT', { NOTICE: 'Authors' });
  await expect(licenseTexts([folder])).rejects.toThrow('the text of its license is missing');
});

async function packageFolder(license, files) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const description = JSON.stringify({ name: 'parts', version: '1.0.0', license });
  const all = { ...files, 'package.json': description };
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
  return folder;
}
