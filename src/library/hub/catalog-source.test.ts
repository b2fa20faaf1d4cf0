import { generateKeyPairSync, sign } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { catalogEntries } from './catalog-entries.ts';
import { CatalogSource } from './catalog-source.ts';
import { Catalog } from './catalog.ts';

const signal = new AbortController().signal;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const model = {
  id: 'new-1b',
  type: 'reranker',
  repository: 'acme/New-1B-GGUF',
  quantization: 'Q8_0',
  size_bytes: 1_200_000_000,
  license: 'apache-2.0',
  description: 'A model of next year.',
};
const listOf = (version: string, ...models: readonly unknown[]) =>
  JSON.stringify({ version, models });
const list = listOf('2026-11-24T00:00:00Z', model);

/** A source that keeps its list in a home folder, and a server whose responses a test can change. */
async function open() {
  const answers: Record<string, string | Buffer> = {};
  const publish = (text: string, signature: Buffer = sign(null, Buffer.from(text), privateKey)) => {
    answers['/catalog.json'] = text;
    answers['/catalog.json.sig'] = signature.toString('base64');
  };
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url];
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/catalog.json`;
  const file = join(await temporaryFolder(), 'catalog.json');
  const start = async () => {
    const catalog = new Catalog();
    const source = new CatalogSource({
      catalog,
      file,
      environment: {},
      logger: createLogger('silent'),
    });
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    await source.open(stopping.signal);
    return { catalog, source };
  };
  return { answers, publish, url, file, start, ...(await start()) };
}

it('uses a signed list, keeps it over a restart without its server, and forgets it', async () => {
  const { publish, url, file, start, catalog, source, answers } = await open();
  publish(list);
  expect(source.state()).toEqual({});
  await source.set({ url, key }, signal);
  expect(catalog.list()).toEqual([
    expect.objectContaining({ id: 'new-1b', type: 'reranker', approximateBytes: 1_200_000_000 }),
  ]);
  expect(source.state()).toMatchObject({ origin: { url, key }, version: '2026-11-24T00:00:00Z' });
  expect((await stat(file)).mode & 0o077).toBe(0);

  for (const path of Object.keys(answers)) delete answers[path];
  const again = await start();
  expect(again.catalog.find('NEW-1B')?.repository).toBe('acme/New-1B-GGUF');
  await again.source.reset();
  expect(again.catalog.list()).toBe(catalogEntries);
  expect((await start()).source.state()).toEqual({});
});

it('takes newer lists at a refresh, and none that is older', async () => {
  const { publish, url, catalog, source } = await open();
  await expect(source.refresh(signal)).rejects.toMatchObject({ code: 'conflict' });
  publish(list);
  await source.set({ url, key }, signal);
  publish(listOf('2026-12-01T00:00:00Z', model, { ...model, id: 'other-1b' }));
  await source.refresh(signal);
  expect(catalog.list()).toHaveLength(2);
  publish(list);
  await expect(source.refresh(signal)).rejects.toThrow(/2026-11-24T00:00:00Z, which is older/);
  expect(catalog.list()).toHaveLength(2);
});

const other = generateKeyPairSync('ed25519');
it.each([
  ['of another key', list, sign(null, Buffer.from(list), other.privateKey)],
  ['of another text', `${list} `, sign(null, Buffer.from(list), privateKey)],
  ['that is not one', list, Buffer.from('x')],
])('refuses a signature %s', async (_, text, signature) => {
  const { publish, url, catalog, source } = await open();
  publish(text, signature);
  await expect(source.set({ url, key }, signal)).rejects.toMatchObject({
    code: 'hub_unreachable',
    message: expect.stringContaining('is not signed with this key') as string,
  });
  expect(catalog.list()).toBe(catalogEntries);
});

it.each([
  ['no JSON', '{', /is not JSON/],
  ['no version', JSON.stringify({ models: [model] }), /version is invalid/],
  ['nothing', listOf('2026-11-24T00:00:00Z'), /models is invalid/],
  ['an id twice', listOf('2026-11-24T00:00:00Z', model, model), /an id occurs twice/],
  [
    'a path for a repository',
    listOf('2026-11-24T00:00:00Z', { ...model, repository: '../../etc' }),
    /models\.0\.repository is invalid/,
  ],
  [
    'control characters',
    listOf('2026-11-24T00:00:00Z', { ...model, description: 'a\u001b[2Jb' }),
    /models\.0\.description is invalid/,
  ],
])('refuses a signed list of %s', async (_, text, message) => {
  const { publish, url, source } = await open();
  publish(text);
  await expect(source.set({ url, key }, signal)).rejects.toThrow(message);
});

it('refuses an invalid key, a list that is too large, and a missing signature', async () => {
  const { publish, url, source, answers } = await open();
  publish(list);
  for (const bad of ['', 'abc', Buffer.alloc(31).toString('base64')]) {
    await expect(source.set({ url, key: bad }, signal)).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'key',
    });
  }
  delete answers['/catalog.json.sig'];
  await expect(source.set({ url, key }, signal)).rejects.toThrow(/answered 404/);
  publish(' '.repeat(1024 * 1024 + 1));
  await expect(source.set({ url, key }, signal)).rejects.toMatchObject({ code: 'hub_unreachable' });
});

it('reports a kept file that is invalid, and uses the shipped list', async () => {
  const { file, start } = await open();
  await writeFile(file, '{"url":"http://x/"}');
  const { catalog } = await start();
  expect(catalog.list()).toBe(catalogEntries);
  expect(await readFile(file, 'utf8')).toContain('http://x/');
});
