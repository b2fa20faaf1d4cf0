import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPackedFiles } from '../../src/server/web/packed-files.ts';
import { listStaticFiles } from '../../src/server/web/static-files.ts';
import { compressFiles } from './compress-files.mjs';
import { packFiles } from './pack-files.mjs';

let folder;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
  await writeFile(join(folder, 'a.html'), '<p>Größe</p>\n');
  await writeFile(join(folder, 'b.js'), '');
  await writeFile(join(folder, 'c.md'), '# C\n');
});
afterAll(() => rm(folder, { recursive: true }));

const text = async (file) => new TextDecoder().decode(await file.read());

it('packs files that the server reads', async () => {
  await packFiles(folder, ['a.html', 'b.js', 'c.md'], join(folder, 'out/pages.br'));
  const files = await readPackedFiles(join(folder, 'out/pages.br'));
  expect([...files.keys()]).toEqual(['a.html', 'b.js', 'c.md']);
  expect(await text(files.get('a.html'))).toBe('<p>Größe</p>\n');
  expect(await text(files.get('b.js'))).toBe('');
  expect(files.get('c.md').contentType).toBe('text/markdown; charset=utf-8');
});

it('compresses files in their place', async () => {
  await compressFiles(folder);
  const files = await listStaticFiles(folder);
  expect([...files.keys()].toSorted()).toEqual(['a.html', 'b.js', 'c.md']);
  expect(await text(files.get('c.md'))).toBe('# C\n');
});
