import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-chat';
/** Each word has two tokens. */
const words = (count: number) => 'word '.repeat(count);
const messages = (content: string) => [{ role: 'user', content }];
const tooLong = {
  code: 'context_length_exceeded',
  message: /^The prompt has \d{4,} tokens; the context of the model holds 4096\.$/,
} as const;

describe('a prompt longer than the context', () => {
  // covers error-5
  it.each([
    ['/api/v0/chat/completions', { model, messages: messages(words(5000)) }],
    ['/api/v0/chat/completions', { model, messages: messages(words(5000)), stream: true }],
    ['/api/v0/completions', { model, prompt: words(5000) }],
    ['/api/v0/completions', { model, prompt: words(5000), stream: true }],
    ['/api/v1/chat', { model, input: words(5000) }],
    ['/api/v1/chat', { model, input: 'Hello!', system_prompt: words(5000) }],
  ])('is refused before anything is sent: %s %#', async (path, body) => {
    const answer = await post(hearth.url, path, body);
    expectError(answer, { ...tooLong, isV0: path.includes('v0') });
  });

  it('is rejected before a v1 stream opens', async () => {
    const body = { model, input: words(5000), stream: true };
    expectError(await post(hearth.url, '/api/v1/chat', body), tooLong);
  });

  it('is rejected if the earlier conversation makes it too long', async () => {
    const input = words(1200);
    const short = { model, input, max_output_tokens: 5 };
    const first = await post(hearth.url, '/api/v1/chat', short);
    const second = { model, input, previous_response_id: first.body.response_id };
    expectError(await post(hearth.url, '/api/v1/chat', second), tooLong);
  });

  it.each([
    ['one text', words(2000)],
    ['one of many', ['short', words(2000), 'short']],
  ])('is refused for embeddings: %s', async (_, input) => {
    const body = { model: 'hearth/starter-embed', input };
    expectError(await post(hearth.url, '/api/v0/embeddings', body), {
      code: 'context_length_exceeded',
      message: /has \d{4,} tokens; the context of the model holds 512\.$/,
      isV0: true,
    });
  });
});

it('accepts a prompt of the maximum length', async () => {
  const count = async (text: string) => {
    const body = { model, prompt: text, max_tokens: 1 };
    return (await post(hearth.url, '/api/v0/completions', body)).body.usage.prompt_tokens;
  };
  const perWord = ((await count(words(200))) - (await count(words(100)))) / 100;
  const total = await count(words(2000));
  expect(total).toBeGreaterThan(3900);
  expect(total).toBeCloseTo((await count(words(100))) + 1900 * perWord, -1);
});

it('rejects a system prompt of 10 MB while others are served', async () => {
  const huge = post(hearth.url, '/api/v1/chat', {
    model,
    input: 'Hello!',
    system_prompt: ' '.repeat(10_000_000),
  });
  const other = await post(hearth.url, '/api/v1/chat', { model, input: 'Hello!', store: false });
  expect(other.status).toBe(200);
  expect((await get(hearth.url, '/health')).status).toBe(200);
  expectError(await huge, {
    ...tooLong,
    message: /^The prompt has at least \d{4,} tokens; the context of the model holds 4096\.$/,
  });
});
