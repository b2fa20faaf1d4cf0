import { beforeAll, expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { memoryGrowth } from '../setup/server/peak-memory.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
const chat = 'hearth/starter-chat';
const embed = 'hearth/starter-embed';
const mebibyte = 1024 * 1024;
const text = 'word '.repeat(12_000_000);

beforeAll(async () => {
  await post(hearth.url, '/api/v1/chat', { model: chat, input: 'Hello!', max_output_tokens: 1 });
  await post(hearth.url, '/api/v0/embeddings', { model: embed, input: 'Hello!' });
});

const giant = 'a'.repeat(60_000_000);
const tool = {
  type: 'function',
  function: { name: 'a', description: 'a', parameters: { type: 'object', title: text } },
} as const;
const messages = (content: string) => [{ role: 'user', content }];

it.each([
  ['/api/v1/chat', chat, { input: text }],
  ['/api/v1/chat', chat, { input: 'Hello!', system_prompt: text }],
  ['/api/v0/chat/completions', chat, { messages: messages(text) }],
  ['/api/v0/chat/completions', chat, { messages: messages('Hello!'), tools: [tool] }],
  ['/api/v0/completions', chat, { prompt: text }],
  ['/api/v0/embeddings', embed, { input: text }],
  ['/api/v0/embeddings', embed, { input: giant }],
  ['/api/v0/embeddings', embed, { input: giant.slice(0, 4_000_000) }],
  ['/api/v0/completions', chat, { prompt: text.slice(0, 4_000_000) }],
])('refuses megabytes of text without the engine: %s %#', async (path, model, body) => {
  const enginePid = await enginePidOf(hearth, model);
  let answer;
  const engineGrowth = await memoryGrowth(enginePid, async () => {
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await post(hearth.url, path, { model, ...body });
    });
    expect(growth).toBeLessThan(300 * mebibyte);
  });
  expect(engineGrowth).toBeLessThan(mebibyte);
  expectError(answer as never, {
    code: 'context_length_exceeded',
    message: /has at least \d{3,} tokens; the context of the model holds \d+\.$/,
    isV0: path.includes('v0'),
  });
});

it('embeds a text whose megabytes are white space, which the tokenizer ignores', async () => {
  const send = async (input: string) => {
    const { body } = await post(hearth.url, '/api/v0/embeddings', { model: embed, input });
    return body as { readonly data: unknown; readonly usage: unknown };
  };
  const folded = await send('Hello, sea!');
  const spaced = await send(`Hello,${' '.repeat(20_000_000)}sea!\n`);
  expect([spaced.data, spaced.usage]).toEqual([folded.data, folded.usage]);
});

it('answers others while a prompt is counted', async () => {
  const pid = await enginePidOf(hearth, embed);
  const running = post(hearth.url, '/api/v1/chat', { model: chat, input: 'Hello!' });
  const huge = post(hearth.url, '/api/v0/embeddings', { model: embed, input: giant });
  const others = Array.from({ length: 4 }, () =>
    post(hearth.url, '/api/v0/embeddings', { model: embed, input: 'Hello!' }),
  );
  for (const { status } of await Promise.all([running, ...others])) expect(status).toBe(200);
  expect((await huge).status).toBe(400);
  expect(await enginePidOf(hearth, embed)).toBe(pid);
});
