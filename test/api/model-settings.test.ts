import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const chat = 'hearth/starter-chat';
const embed = 'hearth/starter-embed';
const path = `/api/v1/model-settings/${chat}`;

const hearth = useHearth(async (home) => {
  // As `hearth load --save` wrote it before the server kept the settings.
  const presets = { models: { 'starter-embed': { load: { context_length: 256, ttl: 77 } } } };
  await writeFile(join(home, 'presets.json'), JSON.stringify(presets));
});

const put = (body: unknown) => post(hearth.url, path, body, { method: 'PUT' });
const remove = (of: string) => get(hearth.url, of, { method: 'DELETE' });

/** The configuration of the only instance of a model, which is unloaded then. */
async function loadedConfig(model: string): Promise<unknown> {
  const { body } = await get(hearth.url, `/api/v1/models/${model}`);
  expect(body.loaded_instances).toHaveLength(1);
  await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
  return body.loaded_instances[0].config;
}

it('takes over what the command had saved', async () => {
  const { body } = await get(hearth.url, '/api/v1/model-settings');
  expect(body).toEqual({ models: [{ model: embed, load: { context_length: 256, ttl: 77 } }] });
  await post(hearth.url, '/v1/embeddings', { model: embed, input: 'Hello' });
  expect(await loadedConfig(embed)).toMatchObject({ context_length: 256 });
});

const messages = [{ role: 'user', content: 'Hello!' }];
it.each([
  ['/api/v1/chat', { input: 'Hello!' }],
  ['/api/v0/chat/completions', { messages }],
  ['/v1/chat/completions', { messages }],
  ['/v1/completions', { prompt: 'Hello' }],
  ['/v1/messages', { messages, max_tokens: 10 }],
  ['/api/chat', { messages, stream: false }],
  ['/api/v1/models/load', {}],
])('are in force for a load by %s, also after a restart', async (endpoint, body) => {
  const load = { context_length: 768, parallel: 2, speculation: 'ngram' };
  const set = await put({ load });
  expect(set).toMatchObject({ status: 200, body: { model: chat, load } });
  if (endpoint === '/api/v1/chat') {
    await hearth.stop();
    await hearth.restart();
  }
  const answer = await post(hearth.url, endpoint, { model: chat, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(await loadedConfig(chat)).toMatchObject(load);
});

it('yield to the values of a request', async () => {
  const body = { model: chat, input: 'Hello!', context_length: 1024 };
  expect((await post(hearth.url, '/api/v1/chat', body)).status).toBe(200);
  expect(await loadedConfig(chat)).toMatchObject({ context_length: 1024, parallel: 2 });
  await post(hearth.url, '/api/v1/models/load', { model: chat, parallel: 1 });
  expect(await loadedConfig(chat)).toMatchObject({ context_length: 768, parallel: 1 });
});

it('are refused if a load would be, and are deleted', async () => {
  const refusals: readonly (readonly [unknown, string])[] = [
    [{ context_length: 100_000 }, 'invalid_value'],
    [{ draft_model: embed }, 'invalid_value'],
    [{ draft_model: 'none/at-all' }, 'model_not_found'],
    [{ identifier: 'x' }, 'unrecognized_keys'],
  ];
  for (const [load, code] of refusals) {
    const { body } = await put({ load });
    expect(body.error, JSON.stringify(load)).toMatchObject({ code });
  }
  expect((await get(hearth.url, path)).body.load).toMatchObject({ context_length: 768 });
  const gone = await remove(path);
  expect(gone.body).toEqual({ model: chat, deleted: true });
  expect((await get(hearth.url, path)).body).toEqual({ model: chat, load: {} });
  const none = await remove('/api/v1/model-settings/none/at-all');
  expect(none).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
});

it('are set by `hearth load --save`, for chats too', async () => {
  const { home } = hearth;
  const options = ['--context-length', '512', '--save', '--estimate-only'];
  const saved = await runHearth(['load', 'starter-chat', ...options], { home });
  expect(saved.stderr).toContain('Saved for starter-chat: each load of the model uses');
  const answered = await runHearth(['chat', 'starter-chat', '-p', 'Hello!'], { home });
  expect(answered.exitCode).toBe(0);
  expect(await loadedConfig(chat)).toMatchObject({ context_length: 512 });
  expect(JSON.parse(await readFile(join(home, 'models.json'), 'utf8'))).toMatchObject({
    models: { [chat]: { contextLength: 512 } },
  });
});
