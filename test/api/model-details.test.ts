import { request as httpRequest } from 'node:http';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putOllamaTag } from '../setup/models/ollama-store.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { get, post, toAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { openHearth, useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { temporaryFolder, useTemporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';

const hub = useResource(() => {
  const filePath = starterPath('chat');
  const card = '---\nlicense: mit\n---\n# Card\n<script>alert(1)</script>\n';
  return startFakeHub({
    repositories: [
      {
        name: 'acme/Page-GGUF',
        license: 'mit',
        downloads: 1234,
        tags: ['chat', 'evil\u202Etag'],
        files: {
          'README.md': Buffer.from(card),
          'page-Q8_0.gguf': { filePath },
          'page-Q4_K_M.gguf': { sizeBytes: 8_000_000, seed: 1 },
        },
      },
      {
        name: 'acme/Gated-GGUF',
        gated: 'manual',
        files: { 'README.md': Buffer.from('# Secret'), 'gated-Q8_0.gguf': { filePath } },
      },
    ],
  });
});
const hearth = useHearth(() => ({ environment: { HEARTH_HUB_ENDPOINT: hub.url } }));
const folder = useTemporaryFolder();

describe('the details of a model', () => {
  it('are its files, structure, template and memory', async () => {
    const { status, body } = await get(
      hearth.url,
      '/api/v1/models/details?model=hearth/starter-chat',
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      key: 'hearth/starter-chat',
      type: 'llm',
      architecture: 'llama',
      format: 'gguf',
      max_context_length: 4096,
      capabilities: { vision: false },
      structure: { layers: expect.any(Number), vocabulary_size: expect.any(Number) },
      chat_template: expect.stringContaining('messages'),
      files: [{ name: expect.stringMatching(/\.gguf$/), role: 'weights' }],
      variants: [{ key: 'hearth/starter-chat@q8_0', selected: true }],
      projector: null,
      loaded_instances: [],
    });
    expect(body.memory.map((point: { context_length: number }) => point.context_length)).toEqual([
      2048, 4096,
    ]);
    const [small, large] = body.memory;
    expect(small.kv_cache_bytes * 2).toBe(large.kv_cache_bytes);
    expect(large.fits).toBe('fits');
    expect(body.capacity_bytes).toBeGreaterThanOrEqual(body.usable_bytes);
  });

  it('name the projector and the unknown model', async () => {
    const vision = await get(hearth.url, '/api/v1/models/details?model=starter-vision');
    expect(vision.body).toMatchObject({
      capabilities: { vision: true },
      projector: { file: expect.stringContaining('mmproj'), size_bytes: expect.any(Number) },
    });
    const unknown = await get(hearth.url, '/api/v1/models/details?model=nobody/nothing');
    expectError(unknown, { code: 'model_not_found', param: 'model', message: 'nobody/nothing' });
  });

  it('include the memory for given settings', async () => {
    const ask = (body: object) => post(hearth.url, '/api/v1/models/estimate', body);
    const one = await ask({ model: 'starter-chat', context_length: 2048, parallel: 1 });
    const four = await ask({ model: 'starter-chat', context_length: 2048, parallel: 4 });
    expect(one.body).toMatchObject({
      model: 'hearth/starter-chat@q8_0',
      load_config: { context_length: 2048, parallel: 1 },
      fits: 'fits',
    });
    // Its slots share two contexts.
    expect(four.body.kv_cache_bytes).toBe(2 * one.body.kv_cache_bytes);
    const huge = await ask({ model: 'starter-chat', parallel: 256, context_length: 4096 });
    expect(huge.body.total_bytes).toBeGreaterThan(four.body.total_bytes);
    expectError(await ask({ model: 'starter-chat', context_length: 5000 }), {
      code: 'invalid_value',
      param: 'context_length',
      message: 'at most 4096',
    });
  });
});

describe('the catalog', () => {
  it('has the page of a repository with its choices and its card', async () => {
    const { status, body } = await get(hearth.url, '/api/v1/models/catalog/acme/page-gguf');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      repository: 'acme/Page-GGUF',
      url: `${hub.url}/acme/Page-GGUF`,
      license: 'mit',
      downloads: 1234,
      gated: false,
      card: { markdown: '# Card\n<script>alert(1)</script>\n', truncated: false },
    });
    expect(body.tags).toContain('chat');
    expect(body.tags.join('')).not.toContain('\u202E');
    expect(
      body.builds.map((build: Record<string, unknown>) => [
        build['quantization'],
        build['default'],
        build['fits'],
      ]),
    ).toEqual([
      ['Q8_0', false, 'fits'],
      ['Q4_K_M', true, 'fits'],
    ]);
  });

  it('shows a gated repository without its card', async () => {
    const { body } = await get(hearth.url, '/api/v1/models/catalog/acme/Gated-GGUF');
    expect(body).toMatchObject({ gated: true, card: null, builds: [{ quantization: 'Q8_0' }] });
  });

  it('refuses names that no repository has', async () => {
    const bad = await get(hearth.url, '/api/v1/models/catalog/acme/..%2F..');
    expectError(bad, { code: 'invalid_value', param: 'name', message: 'acme' });
    const absent = await get(hearth.url, '/api/v1/models/catalog/acme/absent');
    expectError(absent, { code: 'model_not_found', param: 'model', message: 'acme/absent' });
  });

  it('recommends models that fit into the memory', async () => {
    const { body } = await get(hearth.url, '/api/v1/models/recommended');
    for (const { fits, source } of body.models) expect([fits, source]).toEqual(['fits', 'catalog']);
    for (const model of body.models) expect(model.expected_tokens_per_second).toBeGreaterThan(0);
    const catalog = await get(hearth.url, '/api/v1/models/catalog');
    for (const { fits } of catalog.body.models) expect(fits).toMatch(/^(?:fits|partly|too_large)$/);
  });
});

describe('a model of this machine', () => {
  const put = async (path: string, body: Buffer<ArrayBuffer>, type = 'application/octet-stream') =>
    toAnswer(
      await fetch(`${hearth.url}/api/v1/models/files/${path}`, {
        method: 'PUT',
        body,
        headers: { 'content-type': type },
      }),
    );

  it('is uploaded, listed and loaded', async () => {
    const bytes = await readFile(starterPath('chat'));
    const { status, body } = await put('local/sent/sent-q8_0.gguf', bytes);
    expect([status, body]).toEqual([
      200,
      { model: 'local/sent', file: 'sent-q8_0.gguf', size_bytes: bytes.length },
    ]);
    const loaded = await post(hearth.url, '/api/v1/models/load', { model: 'local/sent' });
    expect(loaded.body).toMatchObject({ status: 'loaded' });
    expectError(await put('local/sent/sent-q8_0.gguf', bytes), {
      code: 'conflict',
      message: 'sent-q8_0.gguf',
    });
  });

  it('is refused if it is not a model', async () => {
    const junk = await put('local/junk/junk.gguf', Buffer.alloc(5_000_000, 'x'));
    expectError(junk, {
      code: 'invalid_value',
      param: 'file',
      message: 'junk.gguf is not a GGUF file',
    });
    const form = await put('local/junk/junk.gguf', Buffer.from('a=b'), 'text/plain');
    expectError(form, { code: 'unsupported_media_type', message: 'application/octet-stream' });
    const escape = await put('local/junk/..%2F..%2Fjunk.gguf', Buffer.from('GGUF'));
    expectError(escape, { code: 'invalid_value', param: 'file', message: 'not the name' });
    expect(await readdir(join(hearth.home, 'models'))).not.toContain('.uploads');
  });

  it('is not uploaded under the publisher of the starter models, whose keys stay theirs', async () => {
    const bytes = await readFile(starterPath('embed'));
    const refused = await put('hearth/starter-chat/x.gguf', bytes);
    expectError(refused, { code: 'invalid_value', param: 'publisher', message: 'reserved' });
    const taking = join(hearth.home, 'models/hearth/starter-chat');
    await mkdir(taking, { recursive: true });
    await writeFile(join(taking, 'x.gguf'), bytes);
    const { body } = await get(hearth.url, '/api/v1/models/hearth/starter-chat');
    expect(body).toMatchObject({ key: 'hearth/starter-chat', type: 'llm' });
  });

  it('leaves nothing when the server is killed during its upload, once the next one starts', async () => {
    const home = await temporaryFolder();
    const killed = await openHearth({ home });
    const upload = httpRequest(
      new URL('/api/v1/models/files/local/cut/cut-q8_0.gguf', killed.url),
      { method: 'PUT', headers: { 'content-type': 'application/octet-stream' } },
    );
    upload.on('error', () => {});
    upload.write((await readFile(starterPath('chat'))).subarray(0, 100_000));
    const models = join(home, 'models');
    await expect.poll(() => readdir(models)).toContain('.uploads');
    await killed.kill();
    expect(await readdir(models)).toContain('.uploads');
    await openHearth({ home });
    expect(await readdir(models)).not.toContain('.uploads');
  });

  it('leaves nothing when its upload breaks off', async () => {
    const bytes = await readFile(starterPath('chat'));
    const url = new URL('/api/v1/models/files/local/cut/cut-q8_0.gguf', hearth.url);
    const upload = httpRequest(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', 'content-length': bytes.length },
    });
    upload.on('error', () => {});
    upload.write(bytes.subarray(0, 100_000));
    const models = join(hearth.home, 'models');
    await expect.poll(() => readdir(models)).toContain('.uploads');
    upload.destroy();
    await expect.poll(() => readdir(models)).not.toContain('.uploads');
    const { body } = await get(hearth.url, '/api/v1/models');
    expect(body.models.map(({ key }: { key: string }) => key)).not.toContain('local/cut');
  });

  it('is imported by its path, which needs admin', async () => {
    const source = join(folder.path, 'models/acme/Given-GGUF');
    await cp(dirname(starterPath('chat')), source, { recursive: true });
    const body = { path: source, publisher: 'me' };
    const anonymous = await post(hearth.url, '/api/v1/models/import', body);
    expectError(anonymous, { code: 'forbidden', message: 'admin' });
    const [admin, writer] = await withTokens(hearth.home, (tokens) =>
      Promise.all(
        (['admin', 'models:write'] as const).map(async (permission) => {
          const { token } = await tokens.create({
            name: permission,
            permissions: [permission],
          });
          return { headers: { authorization: `Bearer ${token}` } };
        }),
      ),
    );
    const denied = await post(hearth.url, '/api/v1/models/import', body, writer);
    expectError(denied, { code: 'forbidden', message: 'admin' });
    const imported = await post(hearth.url, '/api/v1/models/import', body, admin);
    expect([imported.status, imported.body]).toEqual([200, { models: ['me/given'], skipped: [] }]);
    const relative = await post(hearth.url, '/api/v1/models/import', { path: 'x' }, admin);
    expectError(relative, { code: 'invalid_value', param: 'path', message: 'absolute' });
    const absent = await post(
      hearth.url,
      '/api/v1/models/import',
      { path: join(folder.path, 'absent.gguf') },
      admin,
    );
    expectError(absent, { code: 'invalid_value', param: 'path', message: 'absent.gguf' });

    const importFrom = (more: object) =>
      post(hearth.url, '/api/v1/models/import', { from: 'ollama', ...more }, admin);
    const store = join(folder.path, 'ollama');
    const content = await readFile(starterPath('chat'));
    await putOllamaTag(store, 'library/pilot:latest', { model: content });
    expect((await importFrom({ path: store, dry_run: true })).body).toEqual({
      models: [],
      skipped: [],
      found: [
        {
          model: 'library/pilot',
          size_bytes: content.length,
          quantizations: ['Q8_0'],
          license: 'free',
          in_library: false,
        },
      ],
    });
    expect((await importFrom({ path: store })).body.models).toEqual(['library/pilot']);
    const faults = [{ method: 'move' }, { publisher: 'x' }, { repository: 'x' }];
    for (const fault of faults) {
      const [param = ''] = Object.keys(fault);
      expectError(await importFrom(fault), { code: 'invalid_value', param, message: 'from' });
    }
    for (const [request, param] of [
      [{}, 'path'],
      [{ path: source, dry_run: true }, 'dry_run'],
    ] as const) {
      const refused = await post(hearth.url, '/api/v1/models/import', request, admin);
      expectError(refused, { code: 'invalid_value', param, message: 'from' });
    }
  });
});
