import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { say } from '../setup/engine/open-upstream.ts';
import { sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useResource } from '../setup/use-resource.ts';

/** A remote model that records its requests. */
const upstream = useResource(() =>
  startLoopbackServer(({ path }, response) => {
    if (path.endsWith('/models')) sendJson(response, { data: [{ id: 'small' }] });
    else say(response, 'Hello.');
  }),
);
const hearth = useHearth(async (home) => {
  const upstreams = { lab: { url: `${upstream.url}/v1`, kind: 'openai' } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});

const put = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  post(hearth.url, `/api/v1/${path}`, body, { method: 'PUT', headers });
const remove = (path: string) => get(hearth.url, `/api/v1/${path}`, { method: 'DELETE' });
const lastRequest = () => JSON.parse(upstream.requests.at(-1)?.body ?? '{}');

const poet = { system_prompt: 'You answer in rhymes.', temperature: 0.25, top_p: 0.5 };
const hello = [{ role: 'user', content: 'Hello' }];

describe.each([
  ['presets', 'preset', poet],
  ['prompts', 'prompt', { text: 'Translate into {{language=German}}: {{text}}' }],
] as const)('%s', (plural, kind, content) => {
  // covers preset-1
  it('are created, read, listed, replaced and deleted', async () => {
    const path = `${plural}/${encodeURIComponent('Größe 100 %')}`;
    const created = await put(path, { ...content, revision: 0 });
    expect(created.body).toMatchObject({ name: 'Größe 100 %', ...content, revision: 1 });
    expect((await get(hearth.url, `/api/v1/${path}`)).body).toEqual(created.body);
    const replaced = await put(path, { ...content, revision: 1 });
    expect(replaced.body).toMatchObject({ revision: 2 });
    const { body } = await get(hearth.url, `/api/v1/${plural}`);
    expect(body).toEqual({ [plural]: [replaced.body] });
    expect((await remove(path)).body).toEqual({ name: 'Größe 100 %', deleted: true });
    expect((await get(hearth.url, `/api/v1/${plural}`)).body).toEqual({ [plural]: [] });
  });

  // covers preset-2
  it('keep the change of the other tab', async () => {
    const path = `${plural}/shared`;
    await put(path, { ...content, revision: 0 });
    await put(path, { ...content, revision: 1 });
    for (const revision of [0, 1, 3]) {
      expectError(await put(path, { ...content, revision }), {
        code: 'conflict',
        param: 'revision',
        message: 'has revision 2',
      });
    }
    expect((await remove(path)).status).toBe(200);
  });

  // covers preset-4
  it('name what exists where a name is unknown', async () => {
    const code = `${kind}_not_found` as const;
    const expected = { code, param: kind };
    expectError(await remove(`${plural}/gone`), { ...expected, message: 'There are none' });
    await put(`${plural}/here`, content);
    expectError(await get(hearth.url, `/api/v1/${plural}/gone`), {
      ...expected,
      message: 'There is only "here".',
    });
    expectError(await put(`${plural}/gone`, { ...content, revision: 2 }), {
      ...expected,
      message: 'There is no',
    });
    await remove(`${plural}/here`);
  });

  it.each(['a%2Fb', '.hidden', '%20x', 'a%00b', 'x'.repeat(81)])(
    'do not take the name %s',
    async (name) => {
      expect((await put(`${plural}/${name}`, content)).status).toBe(400);
    },
  );

  it('have a limit on their number', async () => {
    for (let index = 0; index < 200; index += 1) {
      expect((await put(`${plural}/${index}`, content)).status).toBe(200);
    }
    expectError(await put(`${plural}/more`, content), {
      code: 'invalid_value',
      message: 'There are 200',
    });
    expect((await put(`${plural}/7`, content)).body).toMatchObject({ revision: 2 });
    for (let index = 0; index < 200; index += 1) await remove(`${plural}/${index}`);
  });
});

it('does not keep secrets or huge values in a preset', async () => {
  const server = { type: 'ephemeral_mcp', server_label: 'a', server_url: 'https://a.example/' };
  const headers = { Authorization: 'Bearer secret' };
  const refused = await put('presets/a', { integrations: [{ ...server, headers }] });
  expectError(refused, { code: 'invalid_value', param: 'integrations', message: 'secrets' });
  const schema = { description: 'x'.repeat(70_000) };
  const huge = await put('presets/a', { response_format: { type: 'json_schema', schema } });
  expectError(huge, { code: 'invalid_value', message: '65536' });
});

/** A request of each API to the remote model, with its path. */
const requests = [
  ['/api/v1/chat', { model: 'lab/small', input: 'Hello' }],
  ['/v1/chat/completions', { model: 'lab/small', messages: hello }],
  ['/v1/responses', { model: 'lab/small', input: 'Hello' }],
  ['/v1/messages', { model: 'lab/small', max_tokens: 50, messages: hello }],
] as const;

describe.each(requests)('%s with a preset', (path, body) => {
  // covers preset-3
  it('completes the request', async () => {
    await put('presets/poet', poet);
    const { status } = await post(hearth.url, path, { ...body, preset: 'poet' });
    expect(status).toBe(200);
    expect(lastRequest()).toMatchObject({
      model: 'small',
      temperature: 0.25,
      top_p: 0.5,
      messages: [{ role: 'system', content: 'You answer in rhymes.' }, ...hello],
    });
  });

  // covers preset-3
  it('keeps what the request says itself', async () => {
    await put('presets/poet', poet);
    const system = { '/api/v1/chat': 'system_prompt', '/v1/messages': 'system' }[path as string];
    const own =
      path === '/v1/chat/completions'
        ? { messages: [{ role: 'developer', content: 'Be brief.' }, ...hello] }
        : { [system ?? 'instructions']: 'Be brief.' };
    await post(hearth.url, path, { ...body, ...own, temperature: 1, top_p: null, preset: 'poet' });
    const sent = lastRequest();
    expect(sent).toMatchObject({ temperature: 1, top_p: 0.5 });
    expect(JSON.stringify(sent.messages)).toContain('Be brief.');
    expect(JSON.stringify(sent.messages)).not.toContain('rhymes');
  });

  it('refuses an unknown one', async () => {
    await put('presets/poet', poet);
    const answer = await post(hearth.url, path, { ...body, preset: 'gone' });
    expect(answer.status).toBe(404);
    expect(answer.body.error.message).toContain('There is no preset "gone". There is only "poet".');
  });
});

describe('a preset', () => {
  it('has the model, the limit and the sampling of requests to OpenAI’s endpoints', async () => {
    await put('presets/short', { model: 'hearth/starter-chat', max_output_tokens: 2 });
    const chat = { preset: 'short', messages: hello, temperature: 0 };
    const { body } = await post(hearth.url, '/v1/chat/completions', chat);
    expect(body).toMatchObject({ model: 'hearth/starter-chat', usage: { completion_tokens: 2 } });
    const longer = await post(hearth.url, '/v1/chat/completions', { ...chat, max_tokens: -1 });
    expect(longer.body.usage.completion_tokens).toBeGreaterThan(2);
    const text = { preset: 'short', prompt: 'The sea is' };
    const completion = await post(hearth.url, '/v1/completions', text);
    expect(completion.body.usage.completion_tokens).toBe(2);
    const response = await post(hearth.url, '/v1/responses', { preset: 'short', input: 'Hello' });
    expect(response.body).toMatchObject({
      model: 'hearth/starter-chat',
      max_output_tokens: 2,
      usage: { output_tokens: 2 },
    });
  });

  it('counts for the tokens of a prompt', async () => {
    await put('presets/poet', poet);
    const message = { model: 'hearth/starter-chat', messages: hello };
    const count = async (body: object) =>
      (await post(hearth.url, '/v1/messages/count_tokens', body)).body.input_tokens;
    const system = poet.system_prompt;
    expect(await count({ ...message, preset: 'poet' })).toBe(await count({ ...message, system }));
  });

  it('wins over the settings of the model', async () => {
    const model = 'hearth/starter-chat';
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
    await put(`model-settings/${model}`, { load: { context_length: 1024 } });
    await put('presets/long', { context_length: 2048 });
    const contextAfter = async (preset?: string) => {
      await post(hearth.url, '/v1/chat/completions', { model, messages: hello, preset });
      const { body } = await get(hearth.url, `/api/v1/models/${model}`);
      return body.loaded_instances.map(
        (each: { config: { context_length: number } }) => each.config.context_length,
      );
    };
    expect(await contextAfter()).toEqual([1024]);
    expect(await contextAfter('long')).toContain(2048);
  });
});

// covers preset-1, preset-5
it('keeps presets and prompts over a restart, each for its owner', async () => {
  await put('presets/poet', poet);
  await put('prompts/greet', { text: 'Hello {{name}}' });
  await hearth.stop();
  await hearth.restart({});
  expect((await get(hearth.url, '/api/v1/presets/poet')).body).toMatchObject(poet);
  expect((await get(hearth.url, '/api/v1/prompts/greet')).body).toMatchObject({
    text: 'Hello {{name}}',
  });
  const [one, other] = await withTokens(hearth.home, async (tokens) => {
    const make = async () => (await tokens.create({ name: 'tenant', permissions: ['chat'] })).token;
    return [await make(), await make()] as const;
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  await put('presets/poet', { temperature: 1 }, bearer(one));
  const seen = async (token: string) =>
    (await get(hearth.url, '/api/v1/presets', { headers: bearer(token) })).body.presets;
  expect(await seen(one)).toMatchObject([{ name: 'poet', temperature: 1 }]);
  expect(await seen(other)).toEqual([]);
  expect((await get(hearth.url, '/api/v1/presets/poet')).body).toMatchObject(poet);
});
