import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { starterPath } from '../setup/engine/test-engines.ts';
import { addGgufEntries } from '../setup/models/gguf-writer.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Bounds, defaults and formats of values, on which API clients rely. */

const hearth = useHearth(async (home) => {
  const folder = join(home, 'models/test/mlx');
  await mkdir(folder, { recursive: true });
  const config = { model_type: 'llama', max_position_embeddings: 512 };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  await writeFile(join(folder, 'model.safetensors'), 'weights');
  const starter = await readFile(starterPath('chat'));
  const greedy = { 'general.sampling.top_k': 1 };
  await placeModel(home, 'test/greedy', addGgufEntries(starter, greedy));
  const gaps = ['pre', 'suf', 'mid'].map((name, index) => [
    `tokenizer.ggml.fim_${name}_token_id`,
    16 + index,
  ]);
  await placeModel(home, 'test/infill', addGgufEntries(starter, Object.fromEntries(gaps)));
});

const model = 'hearth/starter-chat';
const messages = [{ role: 'user', content: 'Tell me a story' }];

async function answer(path: string, body: object) {
  const { status, body: received } = await post(hearth.url, path, body);
  expect(status, JSON.stringify(received)).toBe(200);
  return received;
}
const chatV0 = (more: object = {}) =>
  answer('/api/v0/chat/completions', { model, messages, reasoning_effort: 'none', ...more });
const chat = (more: object = {}) =>
  answer('/api/v1/chat', {
    model,
    input: 'Tell me a story',
    reasoning: 'off',
    store: false,
    ...more,
  });
const script = (options: object) => answer('/api/v1/speech/script', options);

// covers server-10
it('both generations are served side by side', async () => {
  for (const path of ['/api/v0/models', '/api/v1/models']) {
    expect((await get(hearth.url, path)).status).toBe(200);
  }
});

// covers v0-model-4
it('the format of each model is its compatibility_type', async () => {
  const { body } = await get(hearth.url, '/api/v0/models');
  const formats = body.data.map((record: { id: string; compatibility_type: string }) => [
    record.id,
    record.compatibility_type,
  ]);
  expect(formats).toContainEqual([model, 'gguf']);
  expect(formats).toContainEqual(['test/mlx', 'mlx']);
});

describe('v0', () => {
  // covers v0-chat-1, v0-completion-1
  it('has ids and times of the specified forms', async () => {
    const prompt = { model, prompt: 'Once', max_tokens: 1 };
    const before = Math.floor(Date.now() / 1000);
    const results = [
      [await chatV0({ max_tokens: 1 }), /^chatcmpl-[a-z0-9]{21}$/, 'chat.completion'],
      [await answer('/api/v0/completions', prompt), /^cmpl-[a-z0-9]{21}$/, 'text_completion'],
    ] as const;
    for (const [result, id, object] of results) {
      expect(result).toMatchObject({ id: expect.stringMatching(id), object, model });
      expect(Number.isInteger(result.created)).toBe(true);
      expect(result.created).toBeGreaterThanOrEqual(before);
      expect(result.created).toBeLessThanOrEqual(Date.now() / 1000);
    }
  });

  // covers v0-chat-5
  it('names the runtime that the engine reports', async () => {
    const { runtime } = await chatV0({ max_tokens: 1 });
    expect(runtime.name).toMatch(
      new RegExp(`^llama\\.cpp-${process.platform}-${process.arch}-\\w+`),
    );
    expect(runtime.version).toMatch(/\d/);
    expect(runtime.supported_formats).toEqual(['gguf']);
  });

  // covers v0-chat-7
  it('has statistics that agree with each other', async () => {
    const { stats, usage } = await chatV0({ temperature: 0 });
    expect(stats.time_to_first_token).toBeGreaterThan(0);
    expect(stats.generation_time).toBeGreaterThan(0);
    // The first token is part of reading the prompt.
    const speed = (usage.completion_tokens - 1) / stats.generation_time;
    expect(stats.tokens_per_second / speed).toBeGreaterThan(0.8);
    expect(stats.tokens_per_second / speed).toBeLessThan(1.25);
  });

  // covers v0-chat-14
  it('follows the fields of the sampling', async () => {
    const everySecondToken = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [2 * index, -100]),
    );
    const textOf = async (more: object) => {
      const { choices } = await chatV0({ max_tokens: 24, ...more });
      return choices[0].message.content as string;
    };
    const greedy = await textOf({ temperature: 0 });
    const hot = { temperature: 2, top_k: 0, top_p: 1, min_p: 0, seed: 7 };
    expect(await textOf(hot)).not.toBe(greedy);
    // Each of these settings leaves only the most probable token.
    for (const limit of [{ top_k: 1 }, { top_p: 0.0001 }, { min_p: 1 }]) {
      expect([limit, await textOf({ ...hot, ...limit })]).toEqual([limit, greedy]);
    }
    const long = await textOf({ ...hot, max_tokens: 200 });
    for (const penalty of [
      { repeat_penalty: 2 },
      { presence_penalty: 2 },
      { frequency_penalty: 2 },
      { logit_bias: everySecondToken },
    ]) {
      const changed = await textOf({ ...hot, max_tokens: 200, ...penalty });
      expect([penalty, changed === long]).toEqual([penalty, false]);
    }
    expect(await textOf(hot)).toBe(await textOf(hot));
  });

  // covers v0-chat-20, v0-completion-10
  it('fills the gap before a suffix with a model that was trained to', async () => {
    const request = { model: 'test/infill', prompt: 'The sea is', temperature: 0, max_tokens: 4 };
    const plain = await answer('/api/v0/completions', request);
    const filled = await answer('/api/v0/completions', { ...request, suffix: ' and calm today.' });
    expect(filled.choices[0].text).toEqual(expect.any(String));
    // The marks of the gap and the suffix are in the prompt.
    expect(filled.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 3);
  });

  it('unloads what a request with a ttl has loaded, after that time', async () => {
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
    await chatV0({ ttl: 1, max_tokens: 1 });
    expect([...(await instancesOf(hearth.url)).keys()]).toContain(model);
    const loaded = async () => [...(await instancesOf(hearth.url)).keys()];
    await expect.poll(loaded, { timeout: 20_000 }).not.toContain(model);
  });
});

describe('v1', () => {
  // covers v1-model-12, v1-chat-1, v1-chat-2, v1-download-1
  it.each([
    ['/api/v1/chat', { model, input: 'Hello!' }],
    ['/api/v1/models/load', { model }],
    ['/api/v1/models/unload', { instance_id: model }],
    ['/api/v1/models/download', { model }],
    ['/api/v1/speech/script', { text: 'Hello.' }],
  ])('requires the fields of %s', async (path, body) => {
    for (const param of Object.keys(body)) {
      const lacking = Object.fromEntries(Object.entries(body).filter(([name]) => name !== param));
      expectError(await post(hearth.url, path, lacking), {
        code: 'missing_required_parameter',
        param,
        message: `"${param}" is required`,
      });
    }
  });

  // covers v1-chat-7
  it('bounds the numbers of a chat', async () => {
    for (const param of ['temperature', 'top_p', 'min_p']) {
      for (const value of [-0.01, 1.01]) {
        const request = { model, input: 'Hello!', [param]: value };
        const message = value < 0 ? 'at least 0' : 'at most 1';
        const refused = await post(hearth.url, '/api/v1/chat', request);
        expectError(refused, { code: 'invalid_value', param, message });
      }
      for (const value of [0, 1]) await chat({ [param]: value, max_output_tokens: 1 });
    }
    await chat({ top_k: 1, repeat_penalty: 1, max_output_tokens: 1 });
    for (const [param, value] of [
      ['top_k', 1.5],
      ['max_output_tokens', 0],
      ['repeat_penalty', -1],
    ] as const) {
      const request = { model, input: 'Hello!', [param]: value };
      const { status, body } = await post(hearth.url, '/api/v1/chat', request);
      expect([status, body.error.param]).toEqual([400, param]);
    }
  });

  // covers v1-chat-8
  it('is deterministic at a temperature of 0', async () => {
    const [first, second] = [await chat({ temperature: 0 }), await chat({ temperature: 0 })];
    expect(second.output).toEqual(first.output);
  });

  // covers v1-chat-9, v1-chat-10
  it('limits the choice of tokens', async () => {
    const textOf = async (more: object) =>
      (await chat({ max_output_tokens: 24, ...more })).output[0].content as string;
    const greedy = await textOf({ temperature: 0 });
    for (const limit of [{ top_k: 1 }, { top_p: 0.0001 }, { min_p: 1 }]) {
      expect([limit, await textOf({ temperature: 1, ...limit })]).toEqual([limit, greedy]);
    }
    expect(await textOf({ temperature: 0, repeat_penalty: 1 })).toBe(greedy);
    const penalized = await textOf({ temperature: 0, repeat_penalty: 2, max_output_tokens: 80 });
    expect(penalized.startsWith(greedy)).toBe(false);
  });

  // covers v1-chat-11
  it('has the defaults of the model for the sampling that a request leaves out', async () => {
    const greedy = await chat({ temperature: 0 });
    for (let round = 0; round < 3; round += 1) {
      const { output } = await chat({ model: 'test/greedy' });
      expect(output).toEqual(greedy.output);
    }
  });

  // covers v1-model-4
  it('describes a model alone as in the list', async () => {
    const { body: list } = await get(hearth.url, '/api/v1/models');
    for (const record of list.models) {
      const { body } = await get(hearth.url, `/api/v1/models/${record.key}`);
      expect(Object.keys(record).filter((field) => !(field in body))).toEqual([]);
      expect(record).toMatchObject({
        type: expect.stringMatching(/^(llm|embedding)$/),
        publisher: expect.any(String),
        display_name: expect.any(String),
        size_bytes: expect.any(Number),
        loaded_instances: expect.any(Array),
        max_context_length: expect.any(Number),
        format: expect.stringMatching(/^(gguf|mlx)$/),
      });
      expect(record).toHaveProperty('quantization');
      expect(record).toHaveProperty('params_string');
    }
  });
});

describe('the formatter of scripts', () => {
  // covers script-1, script-4, script-6, script-9
  it('bounds its options, and knows no others', async () => {
    for (const [param, value] of [
      ['text', ''],
      ['speakers', 0],
      ['speakers', 5],
      ['speakers', 1.5],
      ['mode', 'chorus'],
      ['output', 'ssml'],
      ['emotions[0]', ['bored']],
      ['clean', 'yes'],
      ['pitch', 2],
    ] as const) {
      const options = { text: 'Hello.', [param.replace(/\[.*/, '')]: value };
      const { status, body } = await post(hearth.url, '/api/v1/speech/script', options);
      expect([param, status, body.error?.param]).toEqual([param, 400, param]);
    }
    for (const speakers of [1, 2, 3, 4]) await script({ text: 'Hello.', speakers });
    const emotions =
      'neutral happy sad angry excited calm thoughtful whisper serious energetic warm cold mysterious dramatic';
    for (const emotion of emotions.split(' '))
      await script({ text: 'Hello.', emotions: [emotion] });
  });

  // covers service-9, script-8
  it('has a script as the default output, plain text and JSON', async () => {
    const text = 'Speaker 1: Hello.\nSpeaker 2: Good day.';
    const lines = 'Speaker 1: Hello.\nSpeaker 2: Good day.';
    expect((await script({ text })).script).toBe(lines);
    expect((await script({ text, output: 'script' })).script).toBe(lines);
    const plain = (await script({ text, output: 'plain' })).script;
    expect(plain).toMatch(/Hello\.\s+Good day\./);
    expect(plain).not.toContain('Speaker');
    expect((await script({ text, output: 'json' })).script).toEqual([
      { speaker: 1, text: 'Hello.' },
      { speaker: 2, text: 'Good day.' },
    ]);
    expect(JSON.stringify(await script({ text }))).not.toMatch(/<\w+/);
  });

  // covers script-3
  it('detects speakers unless the mode names how many there are', async () => {
    const text = 'Speaker 1: Hello.\nSpeaker 2: Good day.';
    expect((await script({ text, mode: 'auto' })).mode).toBe('multi');
    expect((await script({ text })).mode).toBe('multi');
    expect((await script({ text, mode: 'multi' })).mode).toBe('multi');
    expect((await script({ text: 'Hello. Good day.' })).mode).toBe('single');
    const single = await script({ text, mode: 'single', output: 'json' });
    expect(single.script.map(({ speaker }: { speaker: number }) => speaker)).toEqual([1]);
  });

  // covers script-5
  it('gives voices and emotions to the speakers in their order', async () => {
    const { speakers } = await script({
      text: 'Speaker 1: Hello.\nSpeaker 2: Good day.',
      speakers: 2,
      voices: ['Ada', 'Ben'],
      emotions: ['happy', 'calm'],
    });
    expect(speakers).toEqual([
      { speaker: 1, voice: 'Ada', emotion: 'happy' },
      { speaker: 2, voice: 'Ben', emotion: 'calm' },
    ]);
  });

  // covers script-7
  it('cleans by default, and only then', async () => {
    const text = '“Hello” 「world」 😀 <b>bold</b>\thttps://example.com [laughs]   end';
    const cleaned = (await script({ text, output: 'plain' })).script;
    expect(cleaned).toBe((await script({ text, output: 'plain', clean: true })).script);
    expect(cleaned).toMatch(/^Hello world bold .*end$/);
    expect(cleaned).not.toMatch(/[“”「」😀<>\t]|https|laughs| {2}/u);
    expect((await script({ text, output: 'plain', clean: false })).script).toContain('“Hello”');
  });
});

describe('a server with other settings', () => {
  const own = useHearth({ environment: { HEARTH_MODELS_JIT: 'false', HEARTH_LOG_LEVEL: 'debug' } });

  // covers server-13
  it('loads no model on request with models.jit off', async () => {
    const request = { model, input: 'Hello!', store: false, max_output_tokens: 1 };
    expectError(await post(own.url, '/api/v1/chat', request), {
      code: 'model_not_found',
      param: 'model',
      message: 'loading on request is off (models.jit)',
    });
    expect((await post(own.url, '/api/v1/models/load', { model })).status).toBe(200);
    expect((await post(own.url, '/api/v1/chat', request)).status).toBe(200);
  });

  // covers server-19
  it('writes no prompt into its log by default', async () => {
    const request = { model, input: 'The word is xylophone.', max_output_tokens: 1 };
    const { headers } = await post(own.url, '/api/v1/chat', request);
    const requestId = headers.get('x-request-id') ?? '';
    await expect.poll(() => own.log()).toContain(requestId);
    expect(own.log()).not.toContain('xylophone');
  });
});
