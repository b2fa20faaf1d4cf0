import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { startFakeRegistry } from '../setup/hub/fake-registry.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { postForLines } from '../setup/server/json-lines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { freePort } from '../setup/net/ports.ts';

const filePath = starterPath('chat');
const hub = useResource(() =>
  startFakeHub({
    repositories: [
      { name: 'acme/Parrot-GGUF', files: { 'Parrot-Q8_0.gguf': { filePath } } },
      { name: 'acme/Finch-GGUF', files: { 'Finch-Q8_0.gguf': { filePath } } },
      { name: 'acme/Broken-GGUF', files: { 'Broken-Q8_0.gguf': { filePath } } },
    ],
  }),
);
const registry = useResource(startFakeRegistry);
const hearth = useHearth(() => ({
  environment: {
    HEARTH_HUB_ENDPOINT: hub.url,
    HEARTH_HUB_MIRRORS: JSON.stringify({ ollama: registry.url }),
  },
}));
afterEach(() => hub.faults.clear());

const removeBy = (body: object): Promise<ApiAnswer> =>
  get(hearth.url, '/api/delete', {
    method: 'DELETE',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const remove = (name: string): Promise<ApiAnswer> => removeBy({ model: name });
const names = async (path: string): Promise<readonly string[]> =>
  (await get(hearth.url, path)).body.models.map(({ name }: { name: string }) => name);
const ask = (model: string) =>
  post(hearth.url, '/api/chat', {
    model,
    stream: false,
    messages: [{ role: 'user', content: 'Hello!' }],
  });

describe('models', () => {
  // covers api-9, api-15
  it('are listed with their details', async () => {
    const { body } = await get(hearth.url, '/api/tags');
    expect(body.models).toHaveLength(3);
    expect(body.models[0]).toEqual({
      name: 'hearth/starter-chat:latest',
      model: 'hearth/starter-chat:latest',
      modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      size: expect.any(Number),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details: {
        parent_model: '',
        format: 'gguf',
        family: 'llama',
        families: ['llama'],
        parameter_size: '3M',
        quantization_level: 'Q8_0',
      },
    });
  });

  // covers api-15
  it('are described, by either name of the field', async () => {
    const { body } = await post(hearth.url, '/api/show', { model: 'starter-chat' });
    expect(body).toMatchObject({
      capabilities: ['completion', 'tools', 'thinking'],
      details: { family: 'llama' },
      model_info: { 'general.architecture': 'llama', 'llama.context_length': 4096 },
      template: expect.stringContaining('{%- for message in messages %}'),
    });
    const byName = await post(hearth.url, '/api/show', { name: 'hearth/starter-chat:latest' });
    expect(byName.body).toEqual(body);
    const vision = await post(hearth.url, '/api/show', { model: 'starter-vision' });
    expect(vision.body.capabilities).toContain('vision');
    const embed = await post(hearth.url, '/api/show', { model: 'starter-embed' });
    expect(embed.body.capabilities).toEqual(['embedding']);
  });

  // covers api-15
  it('are listed while they are loaded', async () => {
    expect(await names('/api/ps')).toEqual([]);
    await ask('starter-chat');
    const { body } = await get(hearth.url, '/api/ps');
    expect(body.models).toEqual([
      expect.objectContaining({
        name: 'hearth/starter-chat:latest',
        context_length: 4096,
        size_vram: 0,
        expires_at: expect.any(String),
      }),
    ]);
    expect(Date.parse(body.models[0].expires_at)).toBeGreaterThan(Date.now());
    await post(hearth.url, '/api/generate', { model: 'starter-chat', keep_alive: -1 });
    const kept = await get(hearth.url, '/api/ps');
    expect(new Date(kept.body.models[0].expires_at).getFullYear()).toBeGreaterThan(2100);
  });

  // covers api-15
  it('get other names by copying, which deleting removes', async () => {
    const copy = await post(hearth.url, '/api/copy', {
      source: 'starter-chat',
      destination: 'assistant:latest',
    });
    expect(copy).toMatchObject({ status: 200, body: {} });
    expect(await names('/api/tags')).toContain('assistant:latest');
    expect((await ask('assistant')).body).toMatchObject({ model: 'assistant', done: true });
    expect((await ask('assistant:latest')).body.model).toBe('assistant:latest');
    expect((await remove('assistant')).status).toBe(200);
    expect(await names('/api/tags')).not.toContain('assistant:latest');
    expect(await names('/api/tags')).toContain('hearth/starter-chat:latest');
    expect((await ask('assistant')).status).toBe(404);
  });

  it('that Hearth ships are not deleted', async () => {
    await post(hearth.url, '/api/chat', { model: 'starter-chat', keep_alive: 0 });
    expect(await remove('starter-chat')).toMatchObject({
      status: 409,
      body: { error: expect.any(String) },
    });
    expect((await remove('nothing')).status).toBe(404);
  });

  it('are not deleted by a name that only a pattern has', async () => {
    await post(hearth.url, '/api/copy', { source: 'starter-chat', destination: 'poet-*' });
    expect(await remove('poet-1')).toMatchObject({ status: 404 });
    expect(await remove('poet-*')).toMatchObject({ status: 200 });
  });
});

describe('requests with both names of a model', () => {
  it.each([
    { model: 'starter-chat', name: '' },
    { model: '', name: 'starter-chat' },
  ])('use the one that is not empty: %o', async (body) => {
    const described = await post(hearth.url, '/api/show', body);
    expect(described).toMatchObject({ status: 200, body: { details: { family: 'llama' } } });
    expect(await postForLines(hearth.url, '/api/pull', body)).toEqual([{ status: 'success' }]);
    await post(hearth.url, '/api/copy', { source: 'starter-chat', destination: 'assistant' });
    const alias = Object.fromEntries(
      Object.entries(body).map(([field, name]) => [field, name === '' ? '' : 'assistant']),
    );
    expect((await removeBy(alias)).status).toBe(200);
    expect(await names('/api/tags')).not.toContain('assistant:latest');
  });

  it('require one of them', async () => {
    const { status, body } = await post(hearth.url, '/api/show', { model: '', name: '' });
    expect({ status, body }).toEqual({ status: 400, body: { error: '"model" is required.' } });
  });
});

describe('a pull', () => {
  // covers api-15
  it('reports its progress in lines, and the model answers', async () => {
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 5_000_000, path: '.gguf' });
    const name = 'hf.co/acme/Parrot-GGUF:Q8_0';
    const lines = await postForLines(hearth.url, '/api/pull', { model: name });
    expect(lines[0]).toEqual({ status: 'pulling manifest' });
    const layers = lines.filter(({ digest }) => digest !== undefined);
    const [first] = layers;
    expect(first.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(layers.length).toBeGreaterThan(1);
    for (const layer of layers) {
      expect(layer).toMatchObject({
        status: `pulling ${first.digest.slice(7, 19)}`,
        digest: first.digest,
        total: first.total,
      });
    }
    const completed = layers.map((layer) => layer.completed);
    expect(completed).toEqual(completed.toSorted((one, other) => one - other));
    expect(completed.at(-1)).toBe(first.total);
    expect(lines.slice(-3)).toEqual([
      { status: 'verifying sha256 digest' },
      { status: 'writing manifest' },
      { status: 'success' },
    ]);
    expect((await ask(name)).body).toMatchObject({ model: name, done: true });
    expect((await ask('parrot')).status).toBe(200);

    const again = await postForLines(hearth.url, '/api/pull', { model: name });
    expect(again).toEqual([{ status: 'pulling manifest' }, { status: 'success' }]);
    await post(hearth.url, '/api/chat', { model: name, keep_alive: 0 });
    expect((await remove(name)).status).toBe(200);
    expect(existsSync(join(hearth.home, 'models/acme'))).toBe(false);
  });

  it('answers once at the end without a stream', async () => {
    const { status, body } = await post(hearth.url, '/api/pull', {
      name: 'acme/Finch-GGUF',
      stream: false,
    });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'success' } });
    expect(await names('/api/tags')).toContain('acme/finch:latest');
  });

  it('continues as a job when its client goes away', async () => {
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 2_000_000, path: 'Broken' });
    const leaving = new AbortController();
    const response = await fetch(`${hearth.url}/api/pull`, {
      method: 'POST',
      body: JSON.stringify({ model: 'acme/Broken-GGUF' }),
      headers: { 'content-type': 'application/json' },
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.text()).rejects.toThrow(/abort/);
    await expect
      .poll(() => names('/api/tags'), { timeout: 30_000 })
      .toContain('acme/broken:latest');
  });

  it('of a starter model has nothing to do, and does not ask the registry', async () => {
    const lines = await postForLines(hearth.url, '/api/pull', { model: 'starter-chat' });
    expect(lines).toEqual([{ status: 'success' }]);
    expect(registry.requests).toEqual([]);
  });

  // covers api-15
  it.each(['tern:1b', 'sea/Tern:1b', 'registry.ollama.ai/sea/tern:1b'])(
    'as %s gets the model of the registry, which answers to this name',
    async (name) => {
      const repository = name.includes('/') ? 'sea/tern' : 'library/tern';
      const mediaType = 'application/vnd.ollama.image.model';
      // The server refuses redirects to this machine.
      registry.isRedirecting = false;
      registry.addTag(`${repository}:1b`, [{ mediaType, file: { filePath } }]);
      const lines = await postForLines(hearth.url, '/api/pull', { model: name });
      expect(lines[0]).toEqual({ status: 'pulling manifest' });
      const layer = lines.find(({ digest }) => digest !== undefined);
      expect(layer).toMatchObject({
        status: `pulling ${layer.digest.slice(7, 19)}`,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(lines.slice(-3)).toEqual([
        { status: 'verifying sha256 digest' },
        { status: 'writing manifest' },
        { status: 'success' },
      ]);
      expect((await ask(name)).body).toMatchObject({ model: name, done: true });
      await post(hearth.url, '/api/chat', { model: name, keep_alive: 0 });
      expect((await remove(name)).status).toBe(200);
    },
  );

  it.each([
    ['nothing', 404, 'model "nothing" not found'],
    ['smolm2:360m', 404, 'The nearest is "smollm2-360m"'],
    ['no such', 400, 'names no model of a registry'],
  ])('of %s names the reason', async (model, status, message) => {
    const answer = await post(hearth.url, '/api/pull', { model });
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(message) } });
  });

  it('precedes a model that is created from one', async () => {
    const body = { from: 'hf.co/acme/Parrot-GGUF:Q8_0', system: 'Talk.' };
    const lines = await postForLines(hearth.url, '/api/create', { model: 'polly', ...body });
    expect(lines[0]).toEqual({ status: 'pulling manifest' });
    expect(lines.slice(-2)).toEqual([{ status: 'writing manifest' }, { status: 'success' }]);
    expect((await post(hearth.url, '/api/show', { model: 'polly' })).body.system).toBe('Talk.');
    const unknown = await post(hearth.url, '/api/create', { model: 'x', from: 'nothing' });
    expect(unknown.status).toBe(404);
    for (const name of ['polly', 'parrot']) expect((await remove(name)).status).toBe(200);
  });

  it('names what the repository lacks', async () => {
    const request = { model: 'hf.co/acme/Finch-GGUF:Q2_K' };
    const missing = await post(hearth.url, '/api/pull', request);
    expect(missing).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('Q8_0') },
    });
    const nowhere = await post(hearth.url, '/api/pull', { model: 'hf.co/acme/Nothing' });
    expect(nowhere).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });
});

describe('an editor that knows only Ollama', () => {
  const editor = useHearth(async () => ({ flags: [`--server-listen-also=${await freePort()}`] }));
  /** The URL of the second port, from the log. */
  const secondUrl = (): string =>
    /"url":"(http:[^"]+)","msg":"listening also"/.exec(editor.log())?.[1] ?? '';

  it('starts up: it looks for the server, its version, the models, and chats', async () => {
    await expect.poll(secondUrl).toMatch(/^http/);
    const url = secondUrl();
    expect(url).not.toBe(editor.url);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(await (await fetch(url)).text()).toBe('Ollama is running');
    const { version } = (await get(url, '/api/version')).body;
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);

    const { models } = (await get(url, '/api/tags')).body;
    const described = await Promise.all(
      models.map(async ({ name }: { name: string }) => ({
        name,
        ...(await post(url, '/api/show', { model: name })).body,
      })),
    );
    const chosen = described.find(({ capabilities }) => capabilities.includes('tools'));
    const { name, model_info: info } = chosen;
    expect(info[`${info['general.architecture']}.context_length`]).toBeGreaterThan(0);
    const lines = await postForLines(url, '/api/chat', {
      model: name,
      messages: [{ role: 'user', content: 'Hello!' }],
      options: { num_ctx: 4096, temperature: 0 },
      keep_alive: '30m',
    });
    expect(lines.at(-1)).toMatchObject({ model: name, done: true, done_reason: 'stop' });
    expect((await get(url, '/api/ps')).body.models[0].name).toBe(name);
  });

  // covers api-11
  it('finds the same server as on the first port, which says its own name', async () => {
    expect(await (await fetch(editor.url)).text()).toContain('Hearth');
    expect((await get(secondUrl(), '/api/v0/models')).status).toBe(200);
  });
});
