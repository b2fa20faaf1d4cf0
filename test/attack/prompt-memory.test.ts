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

it.each([
  ['/api/v1/chat', chat, { input: text }],
  ['/api/v1/chat', chat, { input: 'Hello!', system_prompt: text }],
  ['/api/v0/chat/completions', chat, { messages: [{ role: 'user', content: text }] }],
  ['/api/v0/completions', chat, { prompt: text }],
  ['/api/v0/embeddings', embed, { input: text }],
])('refuses 60 MB of text without the engine: %s %#', async (path, model, body) => {
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
