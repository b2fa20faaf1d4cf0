import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/setup/collect.ts';
import {
  failureOf,
  openUpstream,
  serveUpstream,
  upstreamChat,
  type UpstreamAnswer,
} from '../../../../test/setup/engine/open-upstream.ts';
import { sendJson } from '../../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import type { Upstream } from './upstream.ts';

it('refuses a prompt that Ollama would shorten', async () => {
  const server = await serveUpstream((_request, response) => sendJson(response, {}));
  const { engine } = openUpstream([server.url], { kind: 'ollama' });
  const messages = [{ role: 'user' as const, content: 'word '.repeat(8000) }];
  const generation = collect(engine.generate({ ...upstreamChat, messages }, testContext()));
  expect(await failureOf(generation)).toMatchObject({
    code: 'context_length_exceeded',
    promptSize: { isLowerBound: true, maxTokens: 4096 },
  });
  expect(server.requests).toEqual([]);
});

describe('the tokens of a prompt', () => {
  const counts = async (answer: UpstreamAnswer, kind: Upstream['kind']) => {
    const server = await serveUpstream(answer);
    const { engine } = openUpstream([server.url], { kind });
    const count = () => engine.countPromptTokens(upstreamChat, testContext());
    return { server, counted: [await count(), await count()] };
  };

  it('are counted by servers that can', async () => {
    const vllm = await counts(
      ({ path }, response) => sendJson(response, path === '/tokenize' ? { count: 31 } : {}),
      'vllm',
    );
    expect(vllm.counted).toEqual([31, 31]);
    expect(JSON.parse(vllm.server.requests[0]?.body ?? '')).toMatchObject({
      model: 'small',
      messages: upstreamChat.messages,
    });
    const llama = await counts(
      ({ path }, response) =>
        sendJson(
          response,
          path === '/v1/chat/completions/input_tokens' ? { input_tokens: 32 } : {},
        ),
      'llama-server',
    );
    expect(llama.counted).toEqual([32, 32]);
  });

  it('are estimated otherwise', async () => {
    const balancer = await counts((_request, response) => sendJson(response, {}, 404), 'vllm');
    expect(balancer.counted).toEqual([6, 6]);
    expect(balancer.server.requests).toHaveLength(1);
    const other = await counts((_request, response) => sendJson(response, {}), 'openai');
    expect(other.counted).toEqual([6, 6]);
    expect(other.server.requests).toEqual([]);
  });
});
