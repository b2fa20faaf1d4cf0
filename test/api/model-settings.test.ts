import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../setup/cli/run-command.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

type Body = Awaited<ReturnType<typeof get>>['body'];

const chat = 'hearth/starter-chat';
const embed = 'hearth/starter-embed';
const path = `/api/v1/model-settings/${chat}`;

const hearth = useHearth(async (home) => {
  // The format in which `hearth load --save` and `/save` stored settings in earlier versions.
  const presets = {
    models: {
      'starter-embed': { load: { context_length: 256, ttl: 77 } },
      [chat]: { chat: { temperature: 0.5, context_length: 512 } },
    },
  };
  await writeFile(join(home, 'presets.json'), JSON.stringify(presets));
});

const put = (body: unknown, name = chat) =>
  post(hearth.url, `/api/v1/model-settings/${name}`, body, { method: 'PUT' });
const remove = (name: string) =>
  get(hearth.url, `/api/v1/model-settings/${name}`, { method: 'DELETE' });
const run = (...commandLine: readonly string[]) =>
  runCommand(['--home', hearth.home, ...commandLine]);
const instances = async () => (await get(hearth.url, '/api/v1/status')).body.instances;

/** The configuration of a model's only instance, which is unloaded afterwards. */
async function loadedConfig(model: string): Promise<unknown> {
  const { body } = await get(hearth.url, `/api/v1/models/${model}`);
  expect(body.loaded_instances).toHaveLength(1);
  await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
  return body.loaded_instances[0].config;
}

it('takes over what the commands had saved', async () => {
  const { body } = await get(hearth.url, '/api/v1/model-settings');
  expect(body).toEqual({
    models: [
      { model: chat, load: { context_length: 512 }, temperature: 0.5 },
      { model: embed, load: { context_length: 256, ttl: 77 } },
    ],
  });
  await post(hearth.url, '/v1/embeddings', { model: embed, input: 'Hello' });
  expect(await loadedConfig(embed)).toMatchObject({ context_length: 256 });
  await expect(readFile(join(hearth.home, 'presets.json'))).rejects.toThrow('ENOENT');
});

const messages = [{ role: 'user', content: 'What is the capital of France?' }];
/** Requests of all APIs, and the numbers of tokens in their answers. */
const requests: readonly (readonly [string, object, (body: Body) => readonly number[]])[] = [
  [
    '/api/v1/chat',
    { input: messages[0]?.content },
    ({ stats }) => [stats.input_tokens, stats.total_output_tokens],
  ],
  [
    '/api/v0/chat/completions',
    { messages },
    ({ usage }) => [usage.prompt_tokens, usage.completion_tokens],
  ],
  [
    '/v1/chat/completions',
    { messages },
    ({ usage }) => [usage.prompt_tokens, usage.completion_tokens],
  ],
  [
    '/v1/responses',
    { input: messages[0]?.content },
    ({ usage }) => [usage.input_tokens, usage.output_tokens],
  ],
  [
    '/v1/messages',
    { messages, max_tokens: 3 },
    ({ usage }) => [usage.input_tokens + usage.cache_read_input_tokens, usage.output_tokens],
  ],
  ['/api/chat', { messages, stream: false }, (body) => [body.prompt_eval_count, body.eval_count]],
];

describe('the settings of a model', () => {
  it.each<readonly [string, object]>([
    ['/api/v1/chat', { input: 'Hello!' }],
    ['/v1/completions', { prompt: 'Hello' }],
    ['/api/v1/models/load', {}],
  ])('are in force for a load by %s, also after a restart', async (endpoint, body) => {
    const load = { context_length: 768, parallel: 2, speculation: 'ngram', kv_cache_type: 'f32' };
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

  // covers model-settings-1, model-settings-2
  it('are in force for the requests of all APIs, also of a profile, on one instance', async () => {
    // Reasoning is off, since it would change the number of tokens.
    await put({ max_output_tokens: 3, system_prompt: 'You are terse.', reasoning: 'off' });
    const profile = { base: chat, load: { ttl: 99 }, system_prompt: '', reasoning: 'off' };
    expect(await put(profile, 'Terse/Coder:1')).toMatchObject({
      status: 200,
      body: { model: 'terse/coder:1', base: chat },
    });
    const counts = async (model: string, changes: object = {}) => {
      const answers = await Promise.all(
        requests.map(async ([endpoint, body, read]) => {
          const { status, body: answer } = await post(hearth.url, endpoint, {
            model,
            ...body,
            ...changes,
          });
          expect(status, JSON.stringify(answer)).toBe(200);
          return read(answer);
        }),
      );
      const own = new Set(answers.map(([prompt]) => prompt));
      expect([...own], JSON.stringify(answers)).toHaveLength(1);
      return { prompt: [...own][0] ?? 0, output: answers.map(([, output]) => output) };
    };
    const own = await counts(chat);
    expect(own.output).toEqual(requests.map(() => 3));
    const ofProfile = await counts('terse/coder:1');
    expect(ofProfile.prompt).toBeLessThan(own.prompt);
    expect(ofProfile.output).toEqual(requests.map(() => 3));
    expect(await instances()).toMatchObject([{ id: chat, ttl_seconds: 99 }]);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: chat });
    await remove('terse/coder:1');
  });

  // covers model-settings-1
  it('yield to the values of a request and of its preset', async () => {
    await put({ max_output_tokens: 3, reasoning: 'off', temperature: 0, load: { parallel: 2 } });
    const body = { model: chat, input: 'Hello!', context_length: 1024, max_output_tokens: 2 };
    const answered = await post(hearth.url, '/api/v1/chat', body);
    expect(answered.body.stats).toMatchObject({ total_output_tokens: 2 });
    expect(await loadedConfig(chat)).toMatchObject({ context_length: 1024, parallel: 2 });
    await post(hearth.url, '/api/v1/presets/short', { max_output_tokens: 1 }, { method: 'PUT' });
    const preset = { model: chat, input: 'Hello!', preset: 'short' };
    const { body: short } = await post(hearth.url, '/v1/responses', preset);
    expect(short).toMatchObject({
      max_output_tokens: 1,
      temperature: 0,
      usage: { output_tokens: 1 },
    });
    // -1 means no limit.
    const unlimited = { model: chat, messages, stream: false, options: { num_predict: -1 } };
    expect((await post(hearth.url, '/api/chat', unlimited)).body.eval_count).toBeGreaterThan(3);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: chat });
    await post(hearth.url, '/api/v1/models/load', { model: chat, parallel: 1 });
    expect(await loadedConfig(chat)).toMatchObject({ parallel: 1 });
  });

  // covers model-settings-1, model-settings-3
  it('take effect with the next load, which is told, and pin at once', async () => {
    await put({ load: { parallel: 2 } });
    await post(hearth.url, '/v1/chat/completions', { model: chat, messages, max_tokens: 1 });
    const set = await put({ load: { parallel: 3 }, pinned: true });
    expect(set.body).toMatchObject({ outdated_instances: [chat], pinned: true });
    await post(hearth.url, '/v1/chat/completions', { model: chat, messages, max_tokens: 1 });
    expect(await instances()).toMatchObject([
      { id: chat, changed_settings: ['parallel'], config: { parallel: 2 }, pinned: true },
    ]);
    const listed = await run('ps');
    expect(listed.stdout).toContain('pinned');
    expect(listed.stderr).toContain(`${chat} was loaded with other settings: parallel`);
    await hearth.stop();
    await hearth.restart();
    await expect.poll(instances).toMatchObject([{ id: chat, config: { parallel: 3 } }]);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: chat });
  });

  it('are refused if a load or a request would be, and are deleted', async () => {
    const refusals: readonly (readonly [object, string])[] = [
      [{ load: { context_length: 100_000 } }, 'invalid_value'],
      [{ load: { draft_model: embed } }, 'invalid_value'],
      [{ load: { draft_model: 'none/at-all' } }, 'model_not_found'],
      [{ load: { identifier: 'x' } }, 'unrecognized_keys'],
      [{ load: { chat_template: '{% for x %}' } }, 'invalid_value'],
      [{ reasoning: 'high' }, 'unsupported_reasoning'],
      [{ temperature: 3 }, 'invalid_value'],
      [{ base: embed }, 'conflict'],
    ];
    await put({ load: { context_length: 768 } });
    for (const [body, code] of refusals) {
      const refused = await put(body);
      expect(refused.body.error, JSON.stringify(body)).toMatchObject({ code });
    }
    const template = { load: { chat_template: 'x' } };
    expect((await put(template, embed)).body.error).toMatchObject({ code: 'invalid_value' });
    expect((await get(hearth.url, path)).body.load).toEqual({ context_length: 768 });
    const gone = await remove(chat);
    expect(gone.body).toEqual({ model: chat, deleted: true });
    expect((await get(hearth.url, path)).body).toEqual({ model: chat, load: {} });
    const none = await remove('none/at-all');
    expect(none).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
  });

  it('are set by `hearth load --save`, which keeps the others, for chats too', async () => {
    await put({ temperature: 0, load: { parallel: 2 } });
    const options = ['--context-length', '512', '--save', '--estimate-only'];
    const saved = await run('load', 'starter-chat', ...options);
    expect(saved.stderr).toContain('Saved for starter-chat: each load of the model uses');
    const answered = await run('chat', 'starter-chat', '-p', 'Hello!');
    expect(answered.exitCode).toBe(0);
    expect(await loadedConfig(chat)).toMatchObject({ context_length: 512 });
    expect((await get(hearth.url, path)).body).toEqual({
      model: chat,
      load: { context_length: 512 },
      temperature: 0,
    });
  });
});

describe('a profile', () => {
  const template =
    '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:';

  // covers model-settings-2
  it('has an instance of its own with another load, beside its model', async () => {
    await remove(chat);
    const load = { context_length: 512, chat_template: template };
    await put({ base: 'starter-chat', load, max_output_tokens: 2 }, 'plain');
    const ask = (model: string) =>
      post(hearth.url, '/v1/chat/completions', { model, messages, max_tokens: 2 });
    const [own, plain] = [await ask(chat), await ask('plain')];
    expect(plain.body.model).toBe('plain');
    expect(plain.body.usage.prompt_tokens).not.toBe(own.body.usage.prompt_tokens);
    expect(await instances()).toMatchObject([
      { id: chat, model: chat },
      { id: 'plain', model: chat, profile: 'plain', config: { context_length: 512 } },
    ]);
    const { error } = (await remove('plain')).body;
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('hearth unload plain'),
    });
    for (const id of [chat, 'plain']) {
      await post(hearth.url, '/api/v1/models/unload', { instance_id: id });
    }
  });

  // covers model-settings-2
  // covers model-settings-2
  it('begins chats with its examples, and ends answers at its stops', async () => {
    const examples = [
      { role: 'user', content: 'What is the capital of Spain?' },
      { role: 'assistant', content: 'Madrid.' },
    ];
    const shared = { base: chat, reasoning: 'off', seed: 7, frequency_penalty: 0 };
    const set = await put({ ...shared, examples, stop: ['Paris'], license: 'MIT' }, 'guided');
    expect(set.body).toMatchObject({ ...shared, examples, stop: ['Paris'], license: 'MIT' });
    const ask = async (body: object) =>
      (await post(hearth.url, '/v1/chat/completions', { temperature: 0, ...body })).body;
    const guided = await ask({ model: 'guided', messages });
    expect(guided.choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(guided.choices[0].message.content).not.toContain('Paris');
    const system = { role: 'system', content: 'Be brief.' };
    for (const before of [[], [system]]) {
      const plain = { model: chat, messages: [...before, ...examples, ...messages] };
      const own = { model: 'guided', messages: [...before, ...messages], stop: ['~'] };
      const [expected, actual] = [
        await ask({ ...plain, reasoning_effort: 'none' }),
        await ask(own),
      ];
      expect(actual.usage.prompt_tokens).toBe(expected.usage.prompt_tokens);
      expect(actual.choices[0].message).toEqual(expected.choices[0].message);
    }
    expect(await instances()).toMatchObject([{ id: chat }]);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: chat });
    await remove('guided');
  });

  // covers model-settings-2
  it('is a model of its own name in the lists of all APIs', async () => {
    const lists: readonly (readonly [string, (body: Body) => readonly string[]])[] = [
      ['/api/v1/models', ({ models }) => models.map((each: Body) => each.key)],
      ['/api/v0/models', ({ data }) => data.map((each: Body) => each.id)],
      ['/v1/models', ({ data }) => data.map((each: Body) => each.id)],
      ['/api/tags', ({ models }) => models.map((each: Body) => each.name)],
    ];
    for (const [list, read] of lists) {
      const { body } = await get(hearth.url, list);
      const name = list === '/api/tags' ? 'plain:latest' : 'plain';
      expect(read(body), list).toContain(name);
    }
    expect((await run('ls')).stdout).toMatch(/^plain +profile .* - /m);
    const anthropic = { headers: { 'anthropic-version': '2023-06-01' } };
    const { body } = await get(hearth.url, '/v1/models', anthropic);
    expect(body.data).toContainEqual(expect.objectContaining({ type: 'model', id: 'plain' }));
    const { body: one } = await get(hearth.url, '/api/v1/models/plain');
    expect(one).toMatchObject({ key: 'plain', base: chat, loaded_instances: [] });
  });

  it('is shown, copied and deleted by the API of Ollama, and its model stays', async () => {
    await put({ base: chat, system_prompt: 'You rhyme.', temperature: 0.2 }, 'poet');
    const shown = await post(hearth.url, '/api/show', { model: 'poet:latest' });
    expect(shown.body).toMatchObject({ system: 'You rhyme.', parameters: 'temperature 0.2' });
    await post(hearth.url, '/api/copy', { source: 'poet', destination: 'bard' });
    const copied = await get(hearth.url, '/api/v1/model-settings/bard');
    expect(copied.body).toMatchObject({ base: chat, system_prompt: 'You rhyme.' });
    for (const model of ['poet', 'bard']) {
      const deleted = await post(hearth.url, '/api/delete', { model }, { method: 'DELETE' });
      expect(deleted).toMatchObject({ status: 200, body: {} });
    }
    const { body } = await get(hearth.url, '/api/tags');
    const names = body.models.map((each: Body) => each.name);
    expect(names).toContain(`${chat}:latest`);
    expect(names).not.toContain('poet:latest');
  });

  it('is deleted, and its name is refused where it is taken', async () => {
    const names: readonly (readonly [string, string])[] = [
      ['starter-chat', 'conflict'],
      ['a b', 'invalid_value'],
      ['x*', 'invalid_value'],
    ];
    for (const [name, code] of names) {
      const { body } = await put({ base: chat }, encodeURIComponent(name));
      expect(body.error, name).toMatchObject({ code });
    }
    const nested = await put({ base: 'plain' }, 'other');
    expect(nested.body.error).toMatchObject({ code: 'invalid_value', param: 'base' });
    expect((await remove('plain')).body).toEqual({ model: 'plain', deleted: true });
    const { body } = await post(hearth.url, '/v1/chat/completions', { model: 'plain', messages });
    expect(body.error).toMatchObject({ code: 'model_not_found' });
  });
});

it('are shown, changed, exported and imported by `hearth model`', async () => {
  const { home } = hearth;
  const model = async (...args: readonly string[]) => {
    const { stdout, stderr } = await run('model', ...args);
    return stdout + stderr;
  };
  await remove(chat);
  const file = join(home, 'template.jinja');
  await writeFile(file, '{{ messages[0].content }}');
  await model('set', 'starter-chat', '--temperature', '0.2', '--parallel', '2', '--pinned', 'off');
  const added = await model(
    'set',
    'Coder',
    '--base',
    chat,
    '--system',
    'You code.',
    '--chat-template',
    file,
  );
  expect(added).toBe(
    `coder, a profile of ${chat}\n  chat_template "{{ messages[0].content }}"\n  system_prompt "You code."\n`,
  );
  const sampling = ['--frequency-penalty', '-0.5', '--repeat-last-n', '-1', '--seed', '7'];
  expect(await model('set', 'coder', '--unset', 'chat_template', ...sampling)).toBe(
    `coder, a profile of ${chat}\n  system_prompt "You code."\n  frequency_penalty -0.5\n  repeat_last_n -1\n  seed 7\n`,
  );
  expect(await model('ls')).toMatch(
    /coder +hearth\/starter-chat +system_prompt "You code.", frequency_penalty -0.5, /,
  );
  const exported = join(home, 'exported.json');
  const { stdout: list } = await run('model', 'export');
  const gone = { model: 'none/at-all', temperature: 0 };
  await writeFile(exported, JSON.stringify({ models: [...JSON.parse(list).models, gone] }));
  expect(await model('reset', 'coder')).toBe('Deleted the settings of coder\n');
  expect(await model('import', exported)).toBe(
    `Imported coder, ${chat}, ${embed}\nSkipped none/at-all: the model is not there.\n`,
  );
  const { body } = await get(hearth.url, '/api/v1/model-settings');
  expect(body).toEqual(JSON.parse(list));
});
