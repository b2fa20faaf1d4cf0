import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assemblePages } from './assemble.mjs';

let root;
const write = async (path, text) => {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'site-'));
});
afterAll(() => rm(root, { recursive: true }));

it('rewrites links between the pages, and copies what they link to', async () => {
  await write('README.md', '[Models](docs/models.md#import), [code](src/main.ts)');
  await write(
    'docs/models.md',
    [
      '![All models](images/models.webp) [back](../README.md) [why](adr/0001-a.md) [here](#import)',
      '[chart `a[0]`](../deploy/chart.yaml) [web](https://example.com) [gone](../deploy)',
      '```md\n[as it is](../README.md)\n```',
    ].join('\n'),
  );
  await write('docs/adr/0001-a.md', '[Models](../models.md) [security](../../SECURITY.md)');
  await write('SECURITY.md', 'None.');
  await write('docs/images/models.webp', 'picture');
  await write('deploy/chart.yaml', 'chart');
  await assemblePages(root, join(root, 'site'), [
    'README.md',
    'docs/models.md',
    'docs/adr/0001-a.md',
    'SECURITY.md',
  ]);
  const read = (path) => readFile(join(root, 'site', path), 'utf8');
  expect(await read('index.md')).toBe('[Models](models.md#import), code');
  expect(await read('models.md')).toBe(
    [
      '![All models](images/models.webp) [back](index.md) [why](adr/0001-a.md) [here](#import)',
      '[chart `a[0]`](files/deploy/chart.yaml.txt) [web](https://example.com) gone',
      '```md\n[as it is](../README.md)\n```',
    ].join('\n'),
  );
  expect(await read('adr/0001-a.md')).toBe('[Models](../models.md) [security](../security.md)');
  expect(await read('public/images/models.webp')).toBe('picture');
  expect(await read('public/files/deploy/chart.yaml.txt')).toBe('chart');
});
