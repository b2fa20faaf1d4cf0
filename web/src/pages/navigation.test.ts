import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { webPages } from '../../../src/server/web/web-pages.ts';
import { navigation } from './navigation.ts';

it('has pages only whose paths the server answers with the app', () => {
  const served = new Set<string>(webPages);
  expect(navigation.filter(({ path }) => !served.has(path.split('/')[1] ?? ''))).toEqual([]);
});

it('has the same pages in the service worker', async () => {
  const worker = join(import.meta.dirname, '../../public/service-worker.js');
  expect(await readFile(worker, 'utf8')).toContain(`(${webPages.join('|')})`);
});
