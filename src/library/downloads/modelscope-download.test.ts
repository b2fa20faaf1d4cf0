import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { chunkBytes, untilEnded, untilJob } from '../../../test/setup/downloads/download-setup.ts';
import { starterPath } from '../../../test/setup/engine/test-engines.ts';
import {
  startFakeModelScope,
  type FakeModelScope,
} from '../../../test/setup/hub/fake-modelscope.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createHttpClient } from '../../platform/net/http-client.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { Catalog } from '../hub/catalog.ts';
import { createHub } from '../hub/create-hub.ts';
import { createModelScope } from '../hub/create-modelscope.ts';
import { createRegistries } from '../hub/create-registries.ts';
import { addressOfFile } from '../hub/model-sources.ts';
import { createModelLibrary } from '../library.ts';
import { createDownloadManager } from './download-manager.ts';
import { planDownload } from './plan-download.ts';

const { signal } = new AbortController();
const weights = { filePath: starterPath('chat') };
const readme = Buffer.from('---\nlicense: gemma\n---\n# Tiny\n');
let site: FakeModelScope;
let modelsFolder = '';

beforeEach(async () => {
  site = await startFakeModelScope([
    {
      id: 'Acme/Tiny-GGUF',
      files: { 'README.md': readme, 'tiny-Q8_0.gguf': weights, 'tiny-Q4_K_M.gguf': weights },
      license: 'Gemma',
      downloads: 9,
    },
    { id: 'Acme/Tiny-Other', files: { 'a.gguf': weights }, downloads: 20 },
    { id: 'Acme/Tiny-Torch', files: {}, tags: ['library:pytorch'] },
  ]);
  modelsFolder = await temporaryFolder();
  onTestFinished(() => site.close());
});

function openSite() {
  const http = createHttpClient({ environment: {} });
  onTestFinished(() => http.close());
  return createModelScope({ endpoint: site.url, http, wait: async () => {} });
}

async function openManager() {
  const modelScope = openSite();
  const { http } = modelScope;
  const endpoints = { ollama: site.url, docker: site.url };
  const registries = createRegistries({ endpoints, http });
  const sources = { hub: createHub({ http }), modelScope, registries };
  const logger = createLogger('silent');
  const manager = createDownloadManager({
    addressOf: (plan, path) => addressOfFile(sources, plan, path),
    plan: (request, within) =>
      planDownload({ sources, catalog: new Catalog(), hubEndpoint: undefined, request }, within),
    store: (await temporaryStore()).downloads,
    modelsFolder,
    library: createModelLibrary({ roots: [{ folder: modelsFolder }], logger, signal }),
    logger,
    transfer: { chunkBytes, retryPolicy: { maxFailures: 3, delayMs: () => 1 } },
  });
  onTestFinished(() => manager.close());
  return manager;
}

async function begin(model: string, quantization?: string) {
  const manager = await openManager();
  const request = quantization === undefined ? { model } : { model, quantization };
  const start = await manager.start(request, signal);
  if (start.kind !== 'job') throw new Error(`it is ${start.kind}`);
  return { manager, id: start.job.id };
}

describe('a download from ModelScope', () => {
  // covers cli-25
  test.each<[model: string, quantization?: string]>([
    ['modelscope:Acme/Tiny-GGUF:q8_0'],
    ['ModelScope:Acme/Tiny-GGUF@Q8_0'],
    ['https://modelscope.cn/models/Acme/Tiny-GGUF', 'Q8_0'],
    ['https://www.modelscope.ai/models/Acme/Tiny-GGUF/file/view/master/tiny-Q8_0.gguf'],
    ['https://modelscope.cn/models/Acme/Tiny-GGUF/resolve/master/tiny-Q8_0.gguf'],
  ])('as %s brings the chosen file, verified', async (...request) => {
    const { manager, id } = await begin(...request);
    expect(await untilEnded(manager, id)).toMatchObject({
      status: 'completed',
      plan: { owner: 'Acme', name: 'Tiny-GGUF', quantization: 'Q8_0', license: 'gemma' },
    });
    const placed = await readFile(join(modelsFolder, 'Acme/Tiny-GGUF/tiny-Q8_0.gguf'));
    expect(placed.equals(await readFile(weights.filePath))).toBe(true);
    const again = await manager.start({ model: 'modelscope:Acme/Tiny-GGUF:Q8_0' }, signal);
    expect(again.kind).toBe('already_downloaded');
  });

  test('resumes after a pause', async () => {
    const { manager, id } = await begin('modelscope:Acme/Tiny-GGUF');
    site.fileFaults = { stall: { kind: 'stall', afterBytes: 1000 } };
    await untilJob(manager, id, ({ downloadedBytes }) => downloadedBytes > 0);
    await manager.pause(id);
    site.fileFaults = {};
    await manager.resume(id);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
    const ranges = site.requests.flatMap(({ range }) => range ?? []);
    expect(ranges.length).toBeGreaterThan(1);
  });

  test('fails for content with another hash', async () => {
    site.listed.set('tiny-Q8_0.gguf', { Sha256: '0'.repeat(64) });
    const { manager, id } = await begin('modelscope:Acme/Tiny-GGUF:Q8_0');
    expect(await untilEnded(manager, id)).toMatchObject({ failure: { code: 'checksum_mismatch' } });
  });

  test('starts a new job after the files have changed', async () => {
    const { manager, id } = await begin('modelscope:Acme/Tiny-GGUF:Q8_0');
    await manager.pause(id).catch(() => {});
    site.models[0] = { id: 'Acme/Tiny-GGUF', files: { 'tiny-Q8_0.gguf': Buffer.from('new') } };
    const start = await manager.start({ model: 'modelscope:Acme/Tiny-GGUF:Q8_0' }, signal);
    expect(start.kind === 'job' && start.job.id !== id).toBe(true);
  });
});

describe('ModelScope', () => {
  const refusal = async (model: string) => {
    const manager = await openManager();
    return manager.start({ model }, signal).then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  test.each(['../evil.gguf', '/etc/x.gguf', 'a\u0000.gguf'])(
    'with the path %j is refused',
    async (path) => {
      site.listed.set('tiny-Q8_0.gguf', { Path: path });
      expect(await refusal('modelscope:Acme/Tiny-GGUF')).toMatchObject({ code: 'hub_unreachable' });
    },
  );

  test('offers no file that could not be verified', async () => {
    site.listed.set('tiny-Q8_0.gguf', { Sha256: '' });
    expect(await refusal('modelscope:Acme/Tiny-GGUF:Q8_0')).toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('Q4_K_M') as string,
    });
  });

  test.each(['<html>', '{}', '{"data": {"id": 3}}', '{"Data": {"Files": [{"Type": "blob"}]}}'])(
    'that answers %s is not used',
    async (body) => {
      site.instead = () => ({ status: 200, body });
      expect(await refusal('modelscope:Acme/Tiny-GGUF')).toMatchObject({ code: 'hub_unreachable' });
    },
  );

  test('has no such repository, or no branch', async () => {
    expect(await refusal('modelscope:Acme/None')).toMatchObject({ code: 'model_not_found' });
    site.instead = (path) =>
      path.endsWith('/repo/files') ? { status: 200, body: '{"Data": {"Files": null}}' } : undefined;
    expect(await refusal('modelscope:Acme/Tiny-GGUF')).toMatchObject({ code: 'model_not_found' });
  });

  test('does not list a huge repository completely', async () => {
    const entry = { Type: 'tree', Path: 'a', Size: 0 };
    const body = JSON.stringify({ Data: { Files: Array.from({ length: 3000 }, () => entry) } });
    site.instead = (path) => (path.endsWith('/repo/files') ? { status: 200, body } : undefined);
    expect(await refusal('modelscope:Acme/Tiny-GGUF')).toMatchObject({ code: 'invalid_value' });
  });

  test.each([
    'modelscope:',
    'modelscope:tiny',
    'modelscope:a/b/c',
    'modelscope:../x',
    'https://modelscope.cn/datasets/a/b',
    'https://modelscope.cn/models/a/b/resolve/v1/x.gguf',
    'https://modelscope.cn/models/a/b/resolve/master/..%2Fx.gguf',
  ])('has no model %s', async (model) => {
    expect(await refusal(model)).toMatchObject({ code: 'invalid_value' });
    expect(site.requests).toEqual([]);
  });

  test('is searched for GGUF repositories, most downloaded first', async () => {
    const found = await openSite().search('tiny', 10, signal);
    expect(found).toMatchObject([
      { owner: 'Acme', name: 'Tiny-Other', downloadCount: 20, license: null },
      { owner: 'Acme', name: 'Tiny-GGUF', license: 'gemma', task: 'text-generation' },
    ]);
    site.instead = () => ({ status: 429 });
    await expect(openSite().search('tiny', 10, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
    });
  });

  test('shows a repository with its card', async () => {
    const page = await openSite().page({ owner: 'Acme', name: 'Tiny-GGUF' }, signal);
    expect(page).toMatchObject({
      repository: { license: 'gemma' },
      downloadCount: 9,
      isGated: false,
      card: { markdown: '# Tiny\n' },
    });
  });
});
