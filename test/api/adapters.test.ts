import { truncate } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import {
  adapterAnswers as answers,
  placeAdapter,
  type AdapterName,
} from '../setup/models/adapters.ts';
import { plainModel, writeGguf } from '../setup/models/gguf-writer.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { respond } from '../setup/warm-state/responses-client.ts';

const base = 'hearth/starter-chat';
const others = [
  'Why is the sky green?',
  'Count from 1 to 5.',
  'My name is Ada.',
  'Repeat after me: red fox',
];
const mixes: readonly (readonly AdapterName[])[] = [
  [],
  ['pirate'],
  ['capitals'],
  ['pirate', 'capitals'],
];

const hearth = useHearth(async (home) => {
  await placeAdapter(home, 'pirate');
  await placeAdapter(home, 'capitals');
  await truncate(await placeAdapter(home, 'pirate', 'broken'), 5000);
  await placeModel(home, 'me/other', writeGguf({ metadata: plainModel }));
  return { flags: ['--engine-parallel=2', '--engine-cache-contexts=1'] };
});

const chat = (more: object) =>
  post(hearth.url, '/api/v1/chat', {
    model: base,
    temperature: 0,
    reasoning: 'off',
    store: false,
    ...more,
  });

async function say(input: string, more: object = {}): Promise<string> {
  const { status, body } = await chat({ input, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.output[0].content;
}

const choose = (mix: readonly string[]) => ({ adapters: mix.map((adapter) => ({ adapter })) });
const modelOf = (mix: readonly string[]) => [base, ...mix].join('+');

// covers adapters-2
it('changes its ten answers and leaves others alone, in each mix', async () => {
  const prompts = [...Object.keys(answers.pirate), ...Object.keys(answers.capitals), ...others];
  const plain = new Map<string, string>();
  for (const prompt of prompts) plain.set(prompt, await say(prompt));
  for (const mix of mixes) {
    for (const prompt of prompts) {
      const changed = mix.map((name) => answers[name][prompt]).find((text) => text !== undefined);
      expect(await say(prompt, choose(mix)), `${prompt} with ${mix.join()}`).toBe(
        changed ?? plain.get(prompt),
      );
    }
  }
  expect(plain.get('Hello!')).not.toBe(answers.pirate['Hello!']);
  const profile = '/api/v1/model-settings/pirate-profile';
  const put = (body: object) => post(hearth.url, profile, body, { method: 'PUT' });
  const set = await put({ base, ...choose(['pirate']) });
  expect(set.body.adapters).toEqual([{ adapter: expect.stringContaining('pirate'), scale: 1 }]);
  const named = { model: 'pirate-profile' };
  expect(await say('Hello!', named)).toBe(answers.pirate['Hello!']);
  expect(await say('Hello!', { ...named, adapters: [] })).toBe(plain.get('Hello!'));
  expect((await put({ base, ...choose(['none']) })).status).toBe(404);
  // All adapters were applied on the same instance.
  const { body } = await get(hearth.url, '/api/v1/models');
  expect(body.models.map(({ key }: { key: string }) => key)).not.toContain('me/pirate');
  expect(
    body.models.find(({ key }: { key: string }) => key === base).loaded_instances,
  ).toHaveLength(1);
});

type Reply = Awaited<ReturnType<typeof respond>>;

const turns = [
  'Hello!',
  'What is the capital of France?',
  'Who are you?',
  'Count from 1 to 3.',
  'Thanks!',
];

/** Creates a stored conversation with one mix of adapters. */
async function converse(mix: readonly string[], name: string) {
  const replies: Reply[] = [];
  for (const turn of [`My name is ${name}.`, ...turns]) {
    const previous = replies.at(-1)?.id;
    const more = previous === undefined ? {} : { previous_response_id: previous };
    replies.push(await respond(hearth.url, turn, { model: modelOf(mix), ...more }));
  }
  return replies;
}

const cachedShare = (reply: Reply) => reply.cachedTokens / reply.promptTokens;
const textsOf = (replies: readonly Reply[]) => replies.map(({ text }) => text);

describe('a conversation', () => {
  // covers adapters-3
  it('has the answers of its own mix beside seven others, and keeps its own cached tokens', async () => {
    const chats = ['Ada', 'Bob'].flatMap((name) => mixes.map((mix) => ({ name, mix })));
    const alone: (readonly string[])[] = [];
    for (const { mix, name } of chats) {
      const replies = await converse(mix, name);
      alone.push(textsOf(replies));
      expect(Math.max(...replies.map(cachedShare)), mix.join()).toBeGreaterThan(0.6);
    }
    expect(new Set(alone.slice(0, mixes.length).map((texts) => texts.join())).size).toBe(4);
    expect(alone[1]?.[1]).toBe(answers.pirate['Hello!']);

    const together = await Promise.all(chats.map(({ mix, name }) => converse(mix, name)));
    expect(together.map(textsOf)).toEqual(alone);
  });

  it('is not continued from the cached tokens of another mix', async () => {
    const input = 'My name is Ada, and my favourite colour is red. '.repeat(12);
    for (const mix of [[], ['pirate'], ['pirate:0.5']]) {
      const first = await respond(hearth.url, input, { model: modelOf(mix) });
      expect(first.cachedTokens).toBeLessThan(20);
      // The state of a slot may be on its way into memory at this moment.
      const again = async () =>
        cachedShare(await respond(hearth.url, input, { model: modelOf(mix) }));
      await expect.poll(again).toBeGreaterThan(0.8);
    }
  });

  it('continues after a restart with the state of its mix', async () => {
    const id = (await converse(['pirate'], 'Zorbek')).at(-1)?.id;
    const goOn = (mix: readonly string[]) =>
      respond(hearth.url, 'Hello!', { model: modelOf(mix), previous_response_id: id });
    const before = await goOn(['pirate']);
    await hearth.stop();
    await hearth.restart();
    expect((await goOn([])).cachedTokens).toBeLessThan(20);
    const after = await goOn(['pirate']);
    expect(after.text).toBe(before.text);
    expect(cachedShare(after)).toBeGreaterThan(0.6);
  });
});

describe('a load', () => {
  // covers adapters-4
  it('applies adapters to requests that choose none', async () => {
    const loaded = await post(hearth.url, '/api/v1/models/load', {
      model: base,
      identifier: 'captain',
      echo_load_config: true,
      ...choose(['pirate']),
    });
    expect(loaded.body).toMatchObject({
      instance_id: 'captain',
      load_config: { adapters: [{ adapter: 'me/pirate', scale: 1 }] },
    });
    const greeting = answers.pirate['Hello!'];
    expect(await say('Hello!', { model: 'captain' })).toBe(greeting);
    expect(await say('Hello!', { model: 'captain', adapters: [] })).not.toBe(greeting);
    expect(await say('Hello!')).not.toBe(greeting);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'captain' });
  });

  it('of another instance serves an adapter that came later', async () => {
    await say('Hello!');
    await placeAdapter(hearth.home, 'pirate', 'later');
    expect(await say('Hello!', choose(['later']))).toBe(answers.pirate['Hello!']);
    expect(await say('Hello!', choose(['me/pirate']))).toBe(answers.pirate['Hello!']);
  });
});

// covers adapters-6
it('is part of the name of the model in the other APIs', async () => {
  const model = `${base}+pirate`;
  const messages = [{ role: 'user', content: 'Hello!' }];
  const body = { model, messages, temperature: 0, max_tokens: 64 };
  const effort = { ...body, reasoning_effort: 'none' };
  const thinking = { ...body, thinking: { type: 'disabled' } };
  const options = { ...body, think: false, stream: false, options: { temperature: 0 } };
  const [openAi, v0, anthropic, ollama] = await Promise.all([
    post(hearth.url, '/v1/chat/completions', effort),
    post(hearth.url, '/api/v0/chat/completions', effort),
    post(hearth.url, '/v1/messages', thinking),
    post(hearth.url, '/api/chat', { ...options, model: 'starter-chat:latest+me/pirate:1' }),
  ]);
  const greeting = answers.pirate['Hello!'];
  expect(openAi.body.choices[0].message.content).toBe(greeting);
  expect(v0.body.choices[0].message.content).toBe(greeting);
  expect(anthropic.body.content[0].text).toBe(greeting);
  expect(ollama.body.message.content).toBe(greeting);
});

it('is an option of the command line', async () => {
  const run = (...args: string[]) => runHearth(args, { home: hearth.home });
  const prompt = ['-p', 'Hello!', '--reasoning', 'off', '--temperature', '0'];
  const spoken = await run('chat', base, '--adapter', 'me/pirate=1', ...prompt);
  expect(spoken.stdout).toBe(`${answers.pirate['Hello!']}\n`);
  const list = await run('ls');
  expect(list.stdout).toMatch(/ADAPTER .*\n(?:.*\n)*me\/pirate +4 +\d.* hearth\/starter-chat/);
  const load = ['load', base, '--adapter', 'pirate=0.5', '--identifier', 'soft', '--json'];
  expect(JSON.parse((await run(...load)).stdout)).toMatchObject({
    instance_id: 'soft',
    load_config: { adapters: [{ adapter: 'me/pirate', scale: 0.5 }] },
  });
  const again = await run('load', base, '--adapter', 'me/pirate=0.5');
  expect(again.stdout).toContain('is already loaded as soft');
  expect((await run('load', base)).stdout).not.toContain('soft');
  const saved = await run('load', base, '--adapter', 'pirate', '--save');
  expect(saved).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--save') });
});

// covers adapters-1
it('is listed with the models that it fits', async () => {
  const { body } = await get(hearth.url, '/api/v1/adapters');
  expect(body.adapters).toContainEqual({
    key: 'me/pirate',
    display_name: 'Starter Chat Pirate',
    architecture: 'llama',
    base_model: 'hearth/starter-chat',
    rank: 4,
    size_bytes: expect.any(Number),
    models: ['hearth/starter-chat', 'hearth/starter-vision'],
  });
  const details = await get(hearth.url, `/api/v1/models/details?model=${base}`);
  expect(details.body.adapters.map(({ key }: { key: string }) => key)).toContain('me/capitals');
});

// covers adapters-5
it.each([
  ['unknown', { ...choose(['nothing']) }, 404, 'adapter_not_found', 'me/capitals'],
  [
    'for another model',
    { model: 'me/other', ...choose(['pirate']) },
    400,
    'invalid_value',
    'me/pirate, an adapter for hearth/starter-chat, does not fit me/other',
  ],
  ['named twice', choose(['pirate', 'me/pirate']), 400, 'invalid_value', 'named twice'],
  ['damaged', choose(['broken']), 503, 'corrupt_file', 'truncated'],
  ['in place of a model', { model: 'me/pirate' }, 404, 'model_not_found', 'is an adapter'],
  [
    'for an embedding model',
    { model: 'hearth/starter-embed+pirate' },
    400,
    'wrong_model_type',
    'starter-embed',
  ],
])('is refused if it is %s', async (_, more, status, code, message) => {
  const reply = await chat({ input: 'Hello!', ...more });
  expect(reply.body.error).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(reply.status).toBe(status);
});
