import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { chatResultSchema } from '../../src/api/v1/chat/chat-schema.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { linkRuntimes } from '../setup/engine/link-runtimes.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';
import { mlxRuntimesFolder } from '../setup/mlx/mlx-runtime.ts';
import { writeModelFolder } from '../setup/models/write-model-folder.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { instancesOf, waitForRequests } from '../setup/server/instances.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { enginePidOf, loadedEngines } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** The starter chat model in MLX format, in the real mlx-lm. */
const model = 'mlx/chat';
/** The same model, for which the engine can parse tool calls. */
const parsed = 'mlx/parsed';

let harbour: Harbour;
const hearth = useHearth(async (home) => {
  linkRuntimes(home, mlxRuntimesFolder);
  const place = (name: string, options?: Parameters<typeof writeModelFolder>[2]) =>
    writeModelFolder(starterPath('chat'), join(home, 'models', name), options);
  await place(model);
  await place(parsed, { tokenizerConfig: { tool_parser_type: 'json_tools' } });
  await place('mlx/unknown', { config: { model_type: 'llamx' } });
  await place('mlx/embed', { config: { model_type: 'bert' } });
  await place('mlx/cut');
  const weights = join(home, 'models/mlx/cut/model.safetensors');
  await writeFile(weights, (await readFile(weights)).subarray(0, 100_000));
  harbour = await addHarbour(home);
  return {
    flags: ['--mcp-allow-plugins', '--engine-context-length=1024', '--models-max-loaded=1'],
  };
});

const user = (content: unknown) => [{ role: 'user', content }];
const openai = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'none', maxRetries: 0 });
const chatV0 = (body: Readonly<Record<string, unknown>>) =>
  post(hearth.url, '/api/v0/chat/completions', {
    model,
    messages: user('Hello!'),
    temperature: 0,
    ...body,
  });
/** Generates until the context is full: the tokens that end a turn are forbidden. */
const endless = {
  model,
  messages: user('Tell me a story'),
  logit_bias: { 0: -100, 2: -100 },
  max_tokens: -1,
};
const getWeather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
};

describe('a model in MLX format', () => {
  it('is listed, and its runtime too', async () => {
    const { body: v0 } = await get(hearth.url, `/api/v0/models/${model}`);
    expect(v0).toMatchObject({
      type: 'llm',
      compatibility_type: 'mlx',
      quantization: 'F32',
      capabilities: ['tool_use'],
      max_context_length: 4096,
    });
    const { body } = await get(hearth.url, '/api/v1/runtimes');
    expect(body.runtimes).toMatchObject([
      { supported_formats: ['mlx'], source: 'wheel', active: true, recommended: true },
    ]);
  });

  it('has a runtime that the commands know', async () => {
    const run = (...line: string[]) => runHearth(line, { home: hearth.home });
    expect((await run('runtime', 'ls')).stdout).toMatch(/mlx-lm-\S+ +0\.32\.2 +recommended +mlx/);
    const again = await run('runtime', 'install', 'mlx', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ version: '0.32.2', source: 'wheel' });
    expect(await run('runtime', 'install', 'onnx')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('only for gguf and mlx') as string,
    });
  });

  it('reports how far it has loaded', async () => {
    const events = await stream(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello!',
      temperature: 0,
      reasoning: 'off',
    });
    const names = events.map(({ event }) => event);
    expect(names).toContain('model_load.progress');
    expect(names.indexOf('model_load.end')).toBeLessThan(names.indexOf('message.delta'));
    const { result } = JSON.parse(events.at(-1)?.data ?? '{}');
    expect(chatResultSchema.parse(result)).toMatchObject({
      output: [{ type: 'message', content: 'Hello! How can I help you today?' }],
      stats: { input_tokens: 16, total_output_tokens: 11 },
    });
  });

  it('remembers a conversation, and reads its beginning once', async () => {
    const say = async (input: string, previous?: string) => {
      const { status, body } = await post(hearth.url, '/api/v1/chat', {
        model,
        input,
        temperature: 0,
        reasoning: 'off',
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      });
      expect(status, JSON.stringify(body)).toBe(200);
      return chatResultSchema.parse(body);
    };
    const first = await say('My name is Zorbek.');
    const second = await say('What is my name?', first.response_id);
    expect(second.output).toMatchObject([{ type: 'message', content: 'Your name is Zorbek.' }]);
  });

  it('reasons, in a part of its own', async () => {
    const { body } = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello!',
      temperature: 0,
      reasoning: 'on',
    });
    expect(chatResultSchema.parse(body)).toMatchObject({
      output: [
        { type: 'reasoning', content: 'The user says: Hello!\nI should greet the user.' },
        { type: 'message', content: 'Hello! How can I help you today?' },
      ],
      stats: { reasoning_output_tokens: expect.any(Number) },
    });
  });

  it('calls the tools of the server', async () => {
    const { status, body } = await post(
      hearth.url,
      '/api/v1/chat',
      {
        model,
        input: 'What is the weather in Paris?',
        integrations: [{ type: 'plugin', id: 'mcp/harbour', allowed_tools: ['get_weather'] }],
        temperature: 0,
        reasoning: 'off',
      },
      { headers: await harbour.bearer('chat', 'plugins') },
    );
    expect(status, JSON.stringify(body)).toBe(200);
    const [call, message] = chatResultSchema.parse(body).output;
    expect(call).toMatchObject({ type: 'tool_call', tool: 'get_weather' });
    expect(message).toMatchObject({ type: 'message' });
  });

  it.each([model, parsed])('streams calls of the tools of a client: %s', async (name) => {
    const chunks = await openai().chat.completions.create({
      model: name,
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      tools: [getWeather],
      temperature: 0,
      stream: true,
    });
    let args = '';
    let called: string | undefined;
    let reason: string | null = null;
    for await (const { choices } of chunks) {
      const [choice] = choices;
      const call = choice?.delta.tool_calls?.[0]?.function;
      called ??= call?.name;
      args += call?.arguments ?? '';
      reason = choice?.finish_reason ?? reason;
    }
    expect({ called, reason }).toEqual({ called: 'get_weather', reason: 'tool_calls' });
    expect(JSON.parse(args)).toEqual({ city: 'Paris' });
  });

  it('completes a text, and stops at a string', async () => {
    const { choices, usage } = await openai().completions.create({
      model,
      prompt: '<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
      temperature: 0,
      stop: ['help you', 'never'],
      max_tokens: 40,
    });
    expect(choices[0]).toMatchObject({ text: 'Hello! How can I ', finish_reason: 'stop' });
    expect(usage?.prompt_tokens).toBe(16);
  });

  it('gives the same text for the same seed', async () => {
    const seeded = async (seed: number) =>
      (await chatV0({ ...endless, temperature: 2, seed, max_tokens: 12 })).body.choices[0].message;
    const first = await seeded(7);
    expect(await seeded(7)).toEqual(first);
    expect(await seeded(8)).not.toEqual(first);
  });

  it('serves requests side by side', async () => {
    const count = async (to: number) => {
      const { body } = await chatV0({ messages: user(`Count from 3 to ${to}.`) });
      return body.choices[0].message.content as string;
    };
    const [five, seven] = await Promise.all([count(5), count(7)]);
    expect(five).toContain('3, 4, 5');
    expect(seven).toContain('3, 4, 5, 6, 7');
  });

  it('counts tokens as they are read', async () => {
    const prompt = { model, messages: user('Hello!'), thinking: { type: 'disabled' } };
    const { body: counted } = await post(hearth.url, '/v1/messages/count_tokens', prompt);
    const { body: answer } = await post(hearth.url, '/v1/messages', { ...prompt, max_tokens: 1 });
    const { input_tokens: read, cache_read_input_tokens: cached } = answer.usage;
    expect(counted.input_tokens).toBe(read + cached);
  });

  it('ends with its context', async () => {
    const { body } = await chatV0({ ...endless, messages: user('hello '.repeat(230)) });
    expect(body.stats.stop_reason).toBe('contextLengthReached');
    expect(body.usage.total_tokens).toBe(1024);
    const long = await chatV0({ messages: user('hello '.repeat(1000)) });
    expect(long.body.error).toMatchObject({ code: 'context_length_exceeded' });
  });
});

describe('a feature that mlx-lm lacks is refused by name:', () => {
  const schema = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
  it.each([
    ['response_format', { response_format: schema }, /JSON schema.*no grammars/],
    ['tool_choice', { tools: [getWeather], tool_choice: 'required' }, /MLX/],
    ['top_logprobs', { logprobs: true, top_logprobs: 2 }, /log probabilities/],
  ])('%s', async (field, body, message) => {
    const { status, body: refused } = await chatV0(body);
    expect(status).toBe(400);
    expect(refused.error.message).toMatch(message);
    expect(refused.error.message).toContain(field);
  });

  it('options of other engines', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/models/load', {
      model,
      flash_attention: true,
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param: 'flash_attention' });
  });
});

describe('a folder that cannot run', () => {
  it.each([
    ['mlx/unknown', 'unsupported_architecture', /llamx/],
    ['mlx/cut', 'corrupt_file', /cut/],
    ['mlx/embed', 'unsupported_format', /embedding model in MLX format/],
  ])('%s says why', async (name, code, message) => {
    const { body } = await post(hearth.url, '/api/v1/models/load', { model: name });
    expect(body.error).toMatchObject({ code });
    expect(body.error.message).toMatch(message);
  });
});

describe('the process of a model', () => {
  it('stops to generate when the client disconnects', async () => {
    const live = await openStream(hearth.url, '/api/v0/chat/completions', endless);
    await live.until('content');
    live.disconnect();
    await waitForRequests(hearth.url, model, 0);
    const pid = await enginePidOf(hearth, model);
    const ticks = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[13];
    let before: string | undefined;
    await expect
      .poll(
        async () => {
          const now = await ticks();
          const isIdle = now === before;
          before = now;
          return isIdle;
        },
        { timeout: 30_000, interval: 300 },
      )
      .toBe(true);
  });

  it('that is killed ends its requests, and the next one loads it again', async () => {
    const live = await openStream(hearth.url, '/api/v0/chat/completions', endless);
    await live.until('content');
    const pid = await enginePidOf(hearth, model);
    process.kill(pid, 'SIGKILL');
    expect(await live.until('error')).toMatchObject({
      data: expect.stringMatching(/engine .*stopped/) as string,
    });
    const { status } = await chatV0({ max_tokens: 3 });
    expect(status).toBe(200);
    expect(await enginePidOf(hearth, model)).not.toBe(pid);
  });

  it('ends when another model needs its place, or it is unloaded', async () => {
    const pid = await enginePidOf(hearth, model);
    expect((await chatV0({ model: parsed, max_tokens: 3 })).status).toBe(200);
    expect(await isRunning(pid)).toBe(false);
    const next = loadedEngines(hearth.log()).at(-1)?.pid ?? 0;
    const { status } = await post(hearth.url, '/api/v1/models/unload', { instance_id: parsed });
    expect(status).toBe(200);
    expect((await instancesOf(hearth.url)).size).toBe(0);
    expect(await isRunning(next)).toBe(false);
  });
});
