import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CompletionGeneration, Engine } from '../../src/engines/engine.ts';
import { createTestEngines, generateAll, type TestEngines } from '../setup/engine/test-engines.ts';

function complete(more: Partial<CompletionGeneration> = {}): CompletionGeneration {
  return {
    kind: 'completion',
    prompt: 'Once upon a time',
    sampling: { temperature: 0 },
    maxTokens: 12,
    ...more,
  };
}

let engines: TestEngines;
let engine: Engine;

beforeAll(async () => {
  engines = await createTestEngines();
  ({ engine } = await engines.launch('chat', { contextLength: 512 }));
});
afterAll(() => engines.close());

it('continues with a raw prompt', async () => {
  const { content, end } = await generateAll(engine, complete());
  expect(content).toContain('there was');
  expect(end).toMatchObject({
    stopReason: 'maxPredictedTokensReached',
    usage: { completionTokens: 12, promptTokens: 6 },
  });
});

it('distinguishes a stop string from a full context', async () => {
  const stopped = await generateAll(engine, complete({ stop: ['was'] }));
  expect(stopped.end.stopReason).toBe('stopStringFound');
  const sampling = { temperature: 0, logitBias: { '0': -100, '2': -100 } };
  const { maxTokens: _, ...unlimited } = complete({ sampling });
  const full = await generateAll(engine, unlimited);
  expect(full.end.stopReason).toBe('contextLengthReached');
});

it('reports the end of the text', async () => {
  const prompt = '<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n';
  const { end } = await generateAll(engine, complete({ prompt, maxTokens: 100 }));
  expect(end.stopReason).toBe('eosFound');
});

it('reports log probabilities', async () => {
  const { events } = await generateAll(engine, complete({ topLogprobs: 3, maxTokens: 2 }));
  const tokens = events.flatMap((event) =>
    event.type === 'content.delta' ? (event.logprobs ?? []) : [],
  );
  expect(tokens.map((token) => token.topLogprobs.length)).toEqual([3, 3]);
});

it('rejects a suffix if the model does not support infill', async () => {
  await expect(generateAll(engine, complete({ suffix: 'the end' }))).rejects.toMatchObject({
    code: 'infill_unsupported',
    field: 'suffix',
  });
});

it('rejects a prompt longer than the context', async () => {
  const request = complete({ prompt: 'Hello there '.repeat(600) });
  await expect(generateAll(engine, request)).rejects.toMatchObject({
    code: 'context_length_exceeded',
  });
});
