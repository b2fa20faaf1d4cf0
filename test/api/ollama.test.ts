import { describe, expect, it } from 'vitest';
import { ollamaChatAnswerSchema } from '../../src/api/ollama/chat-schema.ts';
import { ollamaGenerateAnswerSchema } from '../../src/api/ollama/generate-schema.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { picture } from '../setup/models/picture.ts';
import { get, post, postRaw, toAnswer } from '../setup/server/api.ts';
import { instancesOf, waitForRequests } from '../setup/server/instances.ts';
import { postForLines } from '../setup/server/json-lines.ts';
import { normalizeLines } from '../setup/server/normalize-lines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { toTypedModule } from '../setup/typed-module.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const model = 'starter-chat';
const options = { temperature: 0, seed: 1 };
const ask = (content: string) => ({
  model,
  options,
  think: false,
  messages: [{ role: 'user', content }],
});
const chat = (body: object) => post(hearth.url, '/api/chat', { stream: false, ...body });
const generate = (body: object) => post(hearth.url, '/api/generate', { stream: false, ...body });

const weatherTool = {
  type: 'function',
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
const statistics = {
  total_duration: expect.any(Number),
  load_duration: expect.any(Number),
  prompt_eval_count: expect.any(Number),
  prompt_eval_duration: expect.any(Number),
  eval_count: expect.any(Number),
  eval_duration: expect.any(Number),
};

describe('POST /api/chat', () => {
  // covers api-9
  it('answers in lines of JSON whose parts are the whole answer', async () => {
    const question = ask('What is the capital of France?');
    const whole = await chat(question);
    expect(whole.status).toBe(200);
    expect(ollamaChatAnswerSchema.parse(whole.body)).toEqual(whole.body);
    expect(whole.body).toMatchObject({ model, done: true, done_reason: 'stop', ...statistics });
    expect(whole.body.message.content).toContain('Paris');
    expect(whole.body.message).not.toHaveProperty('thinking');

    const lines = await postForLines(hearth.url, '/api/chat', question);
    for (const line of lines) expect(ollamaChatAnswerSchema.parse(line)).toEqual(line);
    const last = lines.at(-1);
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
    expect(lines.map(({ message }) => message.content).join('')).toBe(whole.body.message.content);
    expect(last).toMatchObject({ done_reason: 'stop', ...statistics });
    expect(last.eval_count).toBe(whole.body.eval_count);
    expect(last.prompt_eval_count).toBe(whole.body.prompt_eval_count);
    expect(last.eval_duration).toBeLessThan(last.total_duration);
  });

  it('answers a whole conversation, also with instructions', async () => {
    const { body } = await chat({
      ...ask('What is my name?'),
      messages: [
        { role: 'system', content: 'You are friendly.' },
        { role: 'user', content: 'My name is Zorbek.' },
        { role: 'assistant', content: 'Nice to meet you, Zorbek!' },
        { role: 'user', content: 'What is my name?' },
      ],
    });
    expect(body.message.content).toContain('Zorbek');
  });

  it('counts the prompt also where it comes from the cache', async () => {
    const messages = [{ role: 'user', content: 'My name is Zorbek. '.repeat(20) }];
    const first = await chat({ ...ask(''), messages });
    const again = await chat({ ...ask(''), messages });
    expect(again.body.prompt_eval_count).toBe(first.body.prompt_eval_count);
    expect(again.body.message).toEqual(first.body.message);
  });

  it('reasons as `think` says', async () => {
    const question = ask('My name is Zorbek.');
    const thinking = await postForLines(hearth.url, '/api/chat', { ...question, think: true });
    const reasoning = thinking.map(({ message }) => message.thinking ?? '').join('');
    expect(reasoning).toContain('Zorbek');
    const whole = await chat({ ...question, think: true });
    expect(whole.body.message.thinking).toBe(reasoning);
  });

  it('calls tools and answers from their results', async () => {
    const question = { ...ask('What is the weather in Paris?'), tools: [weatherTool] };
    const { body } = await chat(question);
    const [call] = body.message.tool_calls;
    expect(call).toEqual({
      id: expect.any(String),
      function: { index: 0, name: 'get_weather', arguments: { city: 'Paris' } },
    });
    const lines = await postForLines(hearth.url, '/api/chat', question);
    const streamed = lines.flatMap(({ message }) => message.tool_calls ?? []);
    expect(streamed.map((each) => each.function)).toEqual([call.function]);
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });

    const answered = await chat({
      ...question,
      messages: [
        ...question.messages,
        body.message,
        { role: 'tool', tool_name: 'get_weather', content: '{"weather":"snow"}' },
      ],
    });
    expect(answered.body.message.content).toContain('snow');
  });

  it('writes the lines of its fixture', async () => {
    const lines = await postForLines(hearth.url, '/api/chat', {
      ...ask('What is the weather in Paris?'),
      think: true,
      tools: [weatherTool],
    });
    const called = normalizeLines(lines);
    await expect(called).toMatchFileSnapshot('../fixtures/ollama-chat-call.ndjson');
    const answered = await postForLines(hearth.url, '/api/chat', {
      ...ask('My name is Zorbek.'),
      think: true,
    });
    await expect(normalizeLines(answered)).toMatchFileSnapshot(
      '../fixtures/ollama-chat-stream.ndjson',
    );
    // The client is not a dependency of the project. Its own tests compare these recorded lines with its types.
    const typed = toTypedModule(
      {
        type: 'SentChatResponse',
        from: './ollama-sent-types.ts',
        recordedBy: '`test/api/ollama.test.ts`',
      },
      called.concat(normalizeLines(answered)).trimEnd().split('\n').map(withoutPlaceholders),
    );
    await expect(typed).toMatchFileSnapshot('../clients/fixtures/ollama-chat-stream.ts');
  });

  it('answers in the format of a schema, or as JSON', async () => {
    const properties = { answer: { type: 'integer' } };
    const format = { type: 'object', properties, required: ['answer'] };
    const { body } = await chat({ ...ask('Add 2 and 3'), format });
    expect(JSON.parse(body.message.content)).toEqual({ answer: expect.any(Number) });
    const json = await chat({
      ...ask('Add 2 and 3'),
      format: 'json',
      options: { ...options, num_predict: 200 },
    });
    expect(json.status).toBe(200);
    if (json.body.done_reason === 'stop') JSON.parse(json.body.message.content);
  });

  it('follows the options', async () => {
    const cut = await chat({ ...ask('Tell me a story'), options: { ...options, num_predict: 3 } });
    expect(cut.body).toMatchObject({ done_reason: 'length', eval_count: 3 });
    const whole = await chat(ask('What is the capital of France?'));
    const stopped = await chat({
      ...ask('What is the capital of France?'),
      options: { ...options, stop: ['Paris'] },
    });
    const [before = ''] = whole.body.message.content.split('Paris');
    expect(stopped.body.message.content).toBe(before);
    expect(stopped.body.done_reason).toBe('stop');
    await chat({ ...ask('Hello!'), options: { ...options, num_ctx: 1024 } });
    for (const window of [-1, 2 ** 31 - 1]) {
      const penalty = { repeat_penalty: 1.1, repeat_last_n: window };
      await chat({ ...ask('Hello!'), options: { ...options, ...penalty } });
    }
    const { body } = await get(hearth.url, '/api/ps');
    const contexts = body.models.map(
      ({ context_length: length }: { context_length: number }) => length,
    );
    expect(contexts).toContain(1024);
  });

  it('takes seeds of 64 bits, each of which counts', async () => {
    const story = async (seed: string): Promise<string> => {
      const body = JSON.stringify({
        ...ask('Tell me a story'),
        stream: false,
        options: { num_predict: 8, temperature: 100, top_k: 0, top_p: 1, min_p: 0, seed: 0 },
      });
      const response = await postRaw(
        hearth.url,
        '/api/chat',
        body.replace('"seed":0', `"seed":${seed}`),
      );
      expect(response.status).toBe(200);
      return (await toAnswer(response)).body.message.content;
    };
    const first = await story('6129484611666145821');
    expect(await story('6129484611666145821')).toBe(first);
    expect(await story('6129484611666145822')).not.toBe(first);
    expect(await story('-9223372036854775808')).not.toBe(first);
  });

  it('reports log probabilities', async () => {
    const { body } = await chat({ ...ask('Hello!'), logprobs: true, top_logprobs: 2 });
    expect(body.logprobs.map(({ token }: { token: string }) => token).join('')).toContain(
      body.message.content,
    );
    expect(body.logprobs[0]).toEqual({
      token: expect.any(String),
      logprob: expect.any(Number),
      bytes: expect.any(Array),
      top_logprobs: [expect.any(Object), expect.any(Object)],
    });
  });

  it('sees images', async () => {
    const image = (await picture('red')).replace('data:image/png;base64,', '');
    const { body } = await chat({
      model: 'starter-vision',
      options,
      messages: [{ role: 'user', content: 'Which colour is this?', images: [image] }],
    });
    expect(body.message.content).toMatch(/red/i);
  });

  it('loads a model without messages, and unloads it with keep_alive 0', async () => {
    await chat({ model, messages: [], keep_alive: 0 });
    expect((await instancesOf(hearth.url)).has('hearth/starter-chat')).toBe(false);
    const loaded = await chat({ model, keep_alive: '7m' });
    expect(loaded.body).toMatchObject({ done: true, done_reason: 'load' });
    expect((await instancesOf(hearth.url)).get('hearth/starter-chat')?.ttl_seconds).toBe(420);
    await chat({ ...ask('Hello!'), keep_alive: 0 });
    await expect
      .poll(async () => (await instancesOf(hearth.url)).has('hearth/starter-chat'))
      .toBe(false);
    const lines = await postForLines(hearth.url, '/api/chat', { model, keep_alive: 0 });
    expect(lines).toMatchObject([{ done: true, done_reason: 'unload' }]);
  });

  it('stops when the client goes away', async () => {
    const leaving = new AbortController();
    const body = { model: endlessModel, messages: [{ role: 'user', content: 'Go!' }] };
    const response = await postRaw(hearth.url, '/api/chat', JSON.stringify(body), {
      signal: leaving.signal,
    });
    await waitForRequests(hearth.url, endlessModel, 1);
    leaving.abort();
    await expect(response.text()).rejects.toThrow(/abort/);
    await waitForRequests(hearth.url, endlessModel, 0);
  });

  it('reports a failure in the middle as the last line', async () => {
    const body = { model: endlessModel, messages: [{ role: 'user', content: 'Go!' }] };
    // The head of a stream comes with its first line.
    const response = await postRaw(hearth.url, '/api/chat', JSON.stringify(body));
    expect(response.status).toBe(200);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: endlessModel });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ done: false });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      error: 'test/endless was unloaded while it worked on this request.',
    });
  });
});

describe('POST /api/generate', () => {
  // covers api-9
  it('answers a prompt, whole and in lines', async () => {
    const request = { model, prompt: 'What is the capital of France?', options, think: false };
    const whole = await generate(request);
    expect(ollamaGenerateAnswerSchema.parse(whole.body)).toEqual(whole.body);
    expect(whole.body).toMatchObject({ done: true, done_reason: 'stop', ...statistics });
    expect(whole.body.response).toContain('Paris');
    const lines = await postForLines(hearth.url, '/api/generate', request);
    expect(lines.map(({ response }) => response).join('')).toBe(whole.body.response);
  });

  it('continues a raw prompt', async () => {
    const { body } = await generate({
      model,
      prompt: 'Once there was',
      raw: true,
      options: { ...options, num_predict: 4 },
    });
    expect(body).toMatchObject({ done_reason: 'length', eval_count: 4 });
    expect(body.response).not.toBe('');
  });

  it('takes instructions and a format', async () => {
    const properties = { city: { type: 'string' } };
    const format = { type: 'object', properties, required: ['city'] };
    const { body } = await generate({
      model,
      prompt: 'What is the capital of France?',
      system: 'You are friendly.',
      format,
      options,
      think: false,
    });
    expect(JSON.parse(body.response)).toEqual({ city: expect.any(String) });
  });
});

describe('embeddings', () => {
  // covers api-9
  it('are the same in both forms', async () => {
    const many = await post(hearth.url, '/api/embed', {
      model: 'starter-embed',
      input: ['sea', 'sand'],
    });
    expect(many.body).toEqual({
      model: 'starter-embed',
      embeddings: [expect.any(Array), expect.any(Array)],
      total_duration: expect.any(Number),
      prompt_eval_count: expect.any(Number),
    });
    const one = await post(hearth.url, '/api/embed', { model: 'starter-embed', input: 'sea' });
    const old = await post(hearth.url, '/api/embeddings', {
      model: 'starter-embed',
      prompt: 'sea',
    });
    const [vector] = one.body.embeddings;
    expect(vector).toHaveLength(many.body.embeddings[0].length);
    for (const [index, value] of vector.entries()) {
      expect(old.body.embedding[index]).toBeCloseTo(value, 4);
      expect(many.body.embeddings[0][index]).toBeCloseTo(value, 4);
    }
    const length = Math.hypot(...vector);
    expect(length).toBeCloseTo(1, 3);
  });

  it('without input load the model', async () => {
    const { status, body } = await post(hearth.url, '/api/embed', { model: 'starter-embed' });
    expect({ status, body }).toMatchObject({ status: 200, body: { embeddings: [] } });
  });
});

/** A normalized line with values of the original types in place of placeholders. */
function withoutPlaceholders(line: string): unknown {
  return JSON.parse(line, (name, value: unknown) => {
    if (value !== `<${name}>`) return value;
    return name.endsWith('_duration') ? 1 : name;
  });
}
