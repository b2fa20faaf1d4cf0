import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { chunkBytes, untilEnded, untilJob } from '../../../test/setup/downloads/download-setup.ts';
import { starterPath } from '../../../test/setup/engine/test-engines.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../test/setup/hub/fake-registry.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { EgressPolicy } from '../../platform/net/address-policy.ts';
import { createHttpClient } from '../../platform/net/http-client.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { Catalog } from '../hub/catalog.ts';
import { createHub } from '../hub/create-hub.ts';
import { createRegistries, registryEgressPolicy } from '../hub/create-registries.ts';
import { addressOfFile } from '../hub/model-sources.ts';
import { createModelLibrary } from '../library.ts';
import { createDownloadManager } from './download-manager.ts';
import { planDownload } from './plan-download.ts';

const signal = new AbortController().signal;
const weights = { filePath: starterPath('chat') };
const ollama = (type: string) => `application/vnd.ollama.image.${type}`;
const docker = (type: string) => `application/vnd.docker.ai.${type}`;
const license = Buffer.from('Apache License\nVersion 2.0, January 2004\n');
let registry: FakeRegistry;
let modelsFolder = '';

beforeEach(async () => {
  registry = await startFakeRegistry();
  modelsFolder = await temporaryFolder();
  onTestFinished(() => registry.close());
});

/** A new manager on the folder and the store, as a new process would create it. */
async function openManager(store = temporaryStore(), egress: EgressPolicy = { type: 'any' }) {
  const http = createHttpClient({ environment: {}, egress });
  const endpoints = { ollama: registry.url, docker: registry.url };
  const registries = createRegistries({ endpoints, http, wait: async () => {} });
  const hub = createHub({ http });
  const sources = { hub, modelScope: hub, registries };
  const logger = createLogger('silent');
  const roots = [{ folder: modelsFolder }];
  const library = createModelLibrary({ roots, logger, signal });
  const manager = createDownloadManager({
    addressOf: (plan, path) => addressOfFile(sources, plan, path),
    plan: (request, within) =>
      planDownload({ sources, catalog: new Catalog(), hubEndpoint: undefined, request }, within),
    store: (await store).downloads,
    modelsFolder,
    library,
    logger,
    transfer: { chunkBytes, retryPolicy: { maxFailures: 3, delayMs: () => 1 } },
  });
  onTestFinished(async () => {
    await manager.close();
    await http.close();
  });
  return { manager, library };
}

async function download(model: string) {
  const { manager, library } = await openManager();
  const start = await manager.start({ model }, signal);
  if (start.kind !== 'job') throw new Error(`it is ${start.kind}`);
  return { job: await untilEnded(manager, start.job.id), library, manager };
}

describe('a download from a registry', () => {
  // covers cli-24
  test('of Ollama has the model, its projector and its license', async () => {
    registry.addTag('library/tiny:1b-q8_0', [
      { mediaType: ollama('model'), file: weights },
      { mediaType: ollama('projector'), file: Buffer.from('projector') },
      { mediaType: ollama('template'), file: Buffer.from('{{ .Prompt }}') },
      { mediaType: ollama('params'), file: Buffer.from('{}') },
      { mediaType: ollama('license'), file: license },
    ]);
    const { job, library, manager } = await download('ollama:tiny:1b-q8_0');
    expect(job).toMatchObject({
      status: 'completed',
      plan: { owner: 'library', name: 'tiny-1b', license: 'apache-2.0' },
    });
    const placed = await readFile(join(modelsFolder, 'library/tiny-1b/tiny-1b-q8_0.gguf'));
    expect(placed.equals(await readFile(weights.filePath))).toBe(true);
    expect((await library.find('library/tiny-1b')).model.variants).toHaveLength(1);
    const again = await manager.start({ model: 'OLLAMA:library/tiny:1b-q8_0' }, signal);
    expect(again.kind).toBe('already_downloaded');
  });

  test('of Docker has all parts of a split model', async () => {
    const part = (text: string) => ({ mediaType: docker('gguf.v3'), file: Buffer.from(text) });
    registry.addTag('ai/tiny:latest', [part('one'), part('two')]);
    const { job } = await download('docker:ai/tiny');
    expect(job.plan.files.map(({ target }) => target)).toEqual([
      'tiny-00001-of-00002.gguf',
      'tiny-00002-of-00002.gguf',
    ]);
    expect(job.status).toBe('completed');
  });

  test('sends the token to the registry only', async () => {
    registry.addTag('library/tiny:latest', [{ mediaType: ollama('model'), file: weights }]);
    await download('ollama:tiny');
    const toStore = registry.requests.filter(({ server }) => server === 'store');
    expect(toStore.length).toBeGreaterThan(1);
    expect(toStore.every(({ authorization }) => authorization === undefined)).toBe(true);
    expect(toStore.every(({ range }) => range !== undefined)).toBe(true);
    const tokenRequest = registry.requests.find(({ path }) => path.startsWith('/token?'));
    expect(tokenRequest?.path).toBe('/token?service=fake&scope=repository%3Alibrary%2Ftiny%3Apull');
    expect(tokenRequest?.authorization).toBeUndefined();
  });

  test('resumes with a new token after the old one has expired', async () => {
    registry.addTag('library/tiny:latest', [{ mediaType: ollama('model'), file: weights }]);
    const store = temporaryStore();
    const { manager } = await openManager(store);
    registry.blobFaults = { stall: { kind: 'stall', afterBytes: 1000 } };
    const start = await manager.start({ model: 'ollama:tiny' }, signal);
    if (start.kind !== 'job') throw new Error(start.kind);
    const { id } = start.job;
    await untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes > 0);
    await manager.pause(id);
    registry.blobFaults = {};
    registry.expireTokens();
    await manager.resume(id);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
    const ranges = registry.requests.flatMap(({ range }) => range ?? []);
    expect(ranges.some((range) => range.startsWith('bytes=1000-'))).toBe(true);
  });

  test('fails for content with another digest', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    registry.addTag('library/tiny:latest', [{ mediaType: ollama('model'), file: weights, digest }]);
    const { job } = await download('ollama:tiny');
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'checksum_mismatch' } });
  });

  test('fails for content of another size', async () => {
    registry.addTag('library/tiny:latest', [
      { mediaType: ollama('model'), file: weights, size: 1000 },
    ]);
    const { job } = await download('ollama:tiny');
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'hub_unreachable' } });
  });

  test('needs room on the disk', async () => {
    registry.addTag('library/tiny:latest', [
      { mediaType: ollama('model'), file: weights, size: 2 ** 43 },
    ]);
    const { manager } = await openManager();
    await expect(manager.start({ model: 'ollama:tiny' }, signal)).rejects.toMatchObject({
      code: 'insufficient_disk',
    });
  });
});

describe('a registry', () => {
  const start = async (model: string, egress?: EgressPolicy) =>
    (await openManager(temporaryStore(), egress)).manager.start({ model }, signal);

  test.each([
    ['an adapter', [{ mediaType: ollama('model') }, { mediaType: ollama('adapter') }]],
    ['no weights', [{ mediaType: ollama('image.tensor') }]],
  ])('with %s has no usable model', async (_, layers) => {
    registry.addTag(
      'library/tiny:latest',
      layers.map((layer) => ({ ...layer, file: Buffer.from('x') })),
    );
    await expect(start('ollama:tiny')).rejects.toMatchObject({ code: 'invalid_value' });
  });

  test.each([
    '<html>',
    '{}',
    '{"schemaVersion": 2, "manifests": []}',
    JSON.stringify({
      schemaVersion: 2,
      layers: [{ mediaType: ollama('model'), digest: '../../x', size: 1 }],
    }),
    JSON.stringify({
      schemaVersion: 2,
      layers: [{ mediaType: ollama('model'), digest: `sha256:${'0'.repeat(64)}`, size: -1 }],
    }),
  ])('with the manifest %s has none', async (manifest) => {
    registry.addManifest('library/tiny:latest', manifest);
    await expect(start('ollama:tiny')).rejects.toMatchObject({ code: 'hub_unreachable' });
  });

  test('has no such model', async () => {
    await expect(start('ollama:none')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  test('is busy, and says when to try again', async () => {
    registry.instead = () => ({ status: 429, headers: { 'retry-after': '7' } });
    await expect(start('ollama:tiny')).rejects.toMatchObject({
      code: 'hub_unreachable',
      retryAfterSeconds: 7,
    });
  });

  test('fails, and names the setting of its address', async () => {
    registry.instead = () => ({ status: 500 });
    await expect(start('ollama:tiny')).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(/Check the network, the proxy and hub\.mirrors\.$/) as string,
    });
  });

  test('can not make the server ask a private address for a token', async () => {
    const realm = `Bearer realm="${registry.storeUrl}/token"`;
    registry.instead = () => ({ status: 401, headers: { 'www-authenticate': realm } });
    const egress = registryEgressPolicy({ ollama: registry.url, docker: registry.url });
    await expect(start('ollama:tiny', egress)).rejects.toMatchObject({ code: 'hub_unreachable' });
    expect(registry.requests.filter(({ server }) => server === 'store')).toEqual([]);
  });

  test.each([
    'ollama:',
    'ollama:../x',
    'ollama:a/b/c',
    'ollama:x:..',
    'ollama:x:a/b',
    'docker:tiny',
    'docker:ai/con',
    'docker:ai/x@sha256:0',
  ])('has no name %s', async (model) => {
    await expect(start(model)).rejects.toMatchObject({ code: 'invalid_value' });
    expect(registry.requests).toEqual([]);
  });
});
