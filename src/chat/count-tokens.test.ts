import { expect, it, vi } from 'vitest';
import {
  scriptedTurns,
  generationEnd,
  resultOf,
  turnRequest,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { countTurnTokens } from './count-tokens.ts';

const script = async function* () {
  yield { ...generationEnd, stopReason: 'stopStringFound', stopString: 'END' } as const;
};

it('counts the prompt of a turn without a generation, and releases its instance', async () => {
  const { services, requests, pool } = await scriptedTurns(script);
  const request = {
    model: 'test/model',
    systemPrompt: 'Be brief.',
    messages: userMessage('Hello'),
    clientTools: [{ name: 'f', parameters: {} }],
    sampling: {},
    integrations: [],
    isStored: false,
    waitsForLoad: false,
  };
  // The scripted engine counts messages.
  expect(await countTurnTokens(services, request, testContext())).toBe(2);
  expect(requests).toEqual([]);
  expect(pool.list().map(({ activeRequests }) => activeRequests)).toEqual([0]);
  const unknown = countTurnTokens(services, { ...request, model: 'test/none' }, testContext());
  await expect(unknown).rejects.toMatchObject({ code: 'model_not_found' });
});

it('counts on an instance with the settings of the request, and closes its tools', async () => {
  const close = vi.fn<() => Promise<void>>(async () => {});
  const { services, pool } = await scriptedTurns(script);
  const tools = { ...services.tools, open: async () => ({ tools: () => [], close }) };
  const request = turnRequest({ contextLength: 512, ttlSeconds: 5 });
  await countTurnTokens({ ...services, tools }, request, testContext());
  expect(pool.list()).toMatchObject([
    { config: { contextLength: 512 }, ttlSeconds: 5, requestCount: 0 },
  ]);
  expect(close).toHaveBeenCalledOnce();
});

it('reports the stop string of a turn', async () => {
  const { run, requests } = await scriptedTurns(script);
  const result = resultOf(await run({ stop: ['END'], maxReasoningTokens: 7 }));
  expect(result).toMatchObject({ stopReason: 'stopStringFound', stopString: 'END' });
  expect(requests).toMatchObject([{ stop: ['END'], maxReasoningTokens: 7 }]);
});
