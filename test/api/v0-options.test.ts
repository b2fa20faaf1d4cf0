import { describe, expect, it } from 'vitest';
import { v0ChatResultSchema } from '../../src/api/openai/v0/chat-completion-schema.ts';
import { v0EmbeddingResultSchema } from '../../src/api/openai/embeddings/embedding-schema.ts';
import {
  v0CompletionChunkSchema,
  v0CompletionResultSchema,
} from '../../src/api/openai/v0/text-completion-schema.ts';
import { picture } from '../setup/models/picture.ts';
import { post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Headers and fields that OpenAI's clients add to requests. */

const hearth = useHearth();
const model = 'hearth/starter-chat';
const user = (content: unknown) => ({ role: 'user', content });
const ask = (body: object) =>
  post(hearth.url, '/api/v0/chat/completions', { model, temperature: 0, ...body });
const chat = async (body: object) => {
  const answer = await ask(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return v0ChatResultSchema.parse(answer.body);
};

describe('stop strings of a chat', () => {
  const request = { messages: [user('What is the capital of France?')] };

  // covers v0-chat-26
  it('apply to the answer, not to the reasoning', async () => {
    const free = await chat(request);
    const { content = '', reasoning_content: reasoning } = free.choices[0]?.message ?? {};
    expect(reasoning).toContain('\n');
    const word = content.split(' ').at(-1) ?? '';
    const stopped = await chat({ ...request, stop: ['\n', word] });
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: content.slice(0, content.indexOf(word)), reasoning_content: reasoning },
    });
    expect(stopped.stats.stop_reason).toBe('stopStringFound');
    expect(stopped.usage.completion_tokens).toBeGreaterThan(5);
    expect(stopped.usage.completion_tokens).toBeLessThanOrEqual(free.usage.completion_tokens);
    expect(stopped.usage.prompt_tokens).toBe(free.usage.prompt_tokens);
  });

  it('are held back in a stream', async () => {
    const [whole] = (await chat({ ...request, reasoning_effort: 'none' })).choices;
    const content = whole?.message.content ?? '';
    const stop = content.slice(5, 20);
    const events = await stream(hearth.url, '/api/v0/chat/completions', {
      model,
      temperature: 0,
      ...request,
      reasoning_effort: 'none',
      stop,
    });
    const text = events
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }) => JSON.parse(data).choices[0].delta.content ?? '')
      .join('');
    expect(text).toBe(content.slice(0, 5));
  });
});

describe('reasoning of a chat', () => {
  const request = { messages: [user('What is 2 + 3?')] };
  const reasons = async (more: object) => {
    const { choices } = await chat({ ...request, ...more });
    return choices[0]?.message.reasoning_content !== undefined;
  };

  // covers v0-chat-27
  it('follows reasoning_effort and enable_thinking', async () => {
    expect(await reasons({ reasoning_effort: 'medium' })).toBe(true);
    expect(await reasons({ reasoning_effort: 'none' })).toBe(false);
    expect(await reasons({ chat_template_kwargs: { enable_thinking: true } })).toBe(true);
    expect(await reasons({ chat_template_kwargs: { enable_thinking: false } })).toBe(false);
    const both = { reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } };
    expect(await ask({ ...request, ...both })).toMatchObject({
      status: 400,
      body: { error: { param: 'chat_template_kwargs.enable_thinking' } },
    });
  });
});

// covers v0-chat-28
it.each<[string, object, string]>([
  ['several choices', { n: 2 }, 'n'],
  ['speech', { audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
  ['functions of the old form', { functions: [{ name: 'x' }] }, 'functions'],
])('refuses %s and names the field', async (_, more, param) => {
  const answer = await ask({ messages: [user('Hello!')], ...more });
  expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  expect(answer.body.error.message).toContain(param);
});

// covers v0-chat-7
it('tells the speed of an answer of one token by the time that it took', async () => {
  const { stats, usage } = await chat({ messages: [user('Hello!')], max_tokens: 1 });
  expect(usage.completion_tokens).toBe(1);
  expect(stats.tokens_per_second).toBeGreaterThan(0);
  expect(stats.tokens_per_second).toBeLessThanOrEqual(1 / stats.time_to_first_token);
});

it.each([
  ['/api/v0/chat/completions', { messages: [user('word '.repeat(20_000))] }],
  ['/api/v0/completions', { prompt: 'word '.repeat(20_000) }],
])('refuses a prompt that is too long before the stream of %s opens', async (path, body) => {
  const answer = await post(hearth.url, path, { model, stream: true, ...body });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { code: 'context_length_exceeded' } },
  });
});

describe('images', () => {
  const vision = 'hearth/starter-vision';
  const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
  const tools = [{ type: 'function', function: { name: 'look', description: 'Takes a picture' } }];

  it('of a tool reach the model, as those of the user do', async () => {
    const image = { type: 'image_url', image_url: { url: await picture('red') } };
    const promptTokens = async (question: unknown, result: unknown) => {
      const messages = [
        user(question),
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: result },
      ];
      return (await chat({ model: vision, messages, tools, max_tokens: 8 })).usage.prompt_tokens;
    };
    const text = { type: 'text', text: 'What colour is it?' };
    const none = await promptTokens([text], [text]);
    const ofTool = await promptTokens([text], [text, image]);
    expect(ofTool).toBeGreaterThan(none + 10);
    expect(ofTool).toBe(await promptTokens([text, image], [text]));
  });

  it('of the assistant are refused', async () => {
    const image = { type: 'image_url', image_url: { url: await picture('red') } };
    const messages = [user('Draw!'), { role: 'assistant', content: [image] }, user('And now?')];
    const answer = await ask({ model: vision, messages });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { param: 'messages[1].content[0].type' } },
    });
  });
});

describe('embeddings', () => {
  const embed = (body: object) =>
    post(hearth.url, '/api/v0/embeddings', { model: 'hearth/starter-embed', ...body });

  // covers v0-embedding-3, v0-embedding-5
  it('take tokens', async () => {
    const one = v0EmbeddingResultSchema.parse((await embed({ input: [5, 6, 7] })).body);
    expect(one.data).toHaveLength(1);
    const two = v0EmbeddingResultSchema.parse((await embed({ input: [[5, 6, 7], [8]] })).body);
    expect(two.data).toHaveLength(2);
    expect(two.usage.prompt_tokens).toBeGreaterThanOrEqual(4);
  });

  it('refuse tokens of another vocabulary, and say what LangChain needs', async () => {
    const { status, body } = await embed({ input: [[5], [100_257]] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_value', param: 'input' });
    expect(body.error.message).toMatch(/`input` has the token 100257, but the vocabulary of/);
    expect(body.error.message).toContain('check_embedding_ctx_length=False');
  });

  // covers v0-embedding-6
  it('have the dimensions of the model alone', async () => {
    expect(await embed({ input: 'x', dimensions: 128 })).toMatchObject({ status: 200 });
    expect(await embed({ input: 'x', dimensions: 64 })).toMatchObject({
      status: 400,
      body: { error: { param: 'dimensions' } },
    });
  });
});

describe('completions', () => {
  const request = { model, temperature: 0, max_tokens: 4 };
  const complete = (body: object) =>
    post(hearth.url, '/api/v0/completions', { ...request, ...body });
  const prompts = ['The sea is', 'The sky is'];

  // covers v0-completion-8
  it('continue several prompts, echoed and as tokens', async () => {
    const whole = v0CompletionResultSchema.parse((await complete({ prompt: prompts })).body);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(whole.usage.completion_tokens).toBe(8);
    const echoed = v0CompletionResultSchema.parse(
      (await complete({ prompt: prompts, echo: true })).body,
    );
    for (const [index, { text }] of echoed.choices.entries()) {
      expect(text).toBe(`${prompts[index]}${whole.choices[index]?.text}`);
    }
    const tokens = v0CompletionResultSchema.parse((await complete({ prompt: [[5, 6], [7]] })).body);
    expect(tokens.choices).toHaveLength(2);
  });

  // covers v0-completion-7
  it('stream several prompts, with the report in the last chunk', async () => {
    const { choices, usage } = v0CompletionResultSchema.parse(
      (await complete({ prompt: prompts })).body,
    );
    const events = await stream(hearth.url, '/api/v0/completions', { ...request, prompt: prompts });
    const chunks = events
      .slice(0, -1)
      .map(({ data }) => v0CompletionChunkSchema.parse(JSON.parse(data)));
    for (const { index, text } of choices) {
      const deltas = chunks
        .flatMap((chunk) => chunk.choices)
        .filter((each) => each.index === index);
      expect(deltas.map((delta) => delta.text).join('')).toBe(text);
      expect(deltas.at(-1)?.finish_reason).toBe('length');
    }
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ usage, stats: { stop_reason: expect.any(String) } });
  });

  // covers v0-completion-9
  it.each<[string, object, string]>([
    ['several choices', { n: 2 }, 'n'],
    ['best_of', { best_of: 2 }, 'best_of'],
    ['an echo of tokens', { prompt: [5, 6], echo: true }, 'echo'],
    ['a token of another vocabulary', { prompt: [100_257] }, 'prompt'],
  ])('refuse %s', async (_, more, param) => {
    const answer = await complete({ prompt: 'x', ...more });
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });
});
