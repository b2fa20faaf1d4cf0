import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import { createTestEngines, type TestEngines } from '../setup/engine/test-engines.ts';
import { testContext } from '../setup/test-context.ts';

const context = testContext();
let engines: TestEngines;
let engine: Engine;

beforeAll(async () => {
  engines = await createTestEngines();
  ({ engine } = await engines.launch('embed', { parallel: 2 }));
});
afterAll(() => engines.close());

function similarity(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

it('ranks related texts above unrelated ones', async () => {
  const { vectors, promptTokens } = await engine.embed(
    [
      'A cat sleeps on the sofa.',
      'A kitten is resting on the couch.',
      'The bank raised its rates.',
    ],
    context,
  );
  const [cat = [], kitten = [], bank = []] = vectors;
  expect(cat).toHaveLength(128);
  expect(similarity(cat, cat)).toBeCloseTo(1, 3);
  expect(similarity(cat, kitten)).toBeGreaterThan(similarity(cat, bank));
  expect(promptTokens).toBeGreaterThan(15);
});

it('keeps the order of many inputs', async () => {
  const inputs = Array.from({ length: 64 }, (_, index) => `Sentence number ${index}`);
  const { vectors } = await engine.embed(inputs, context);
  const alone = await engine.embed([inputs[41] ?? ''], context);
  expect(vectors).toHaveLength(64);
  expect(similarity(vectors[41] ?? [], alone.vectors[0] ?? [])).toBeGreaterThan(0.999);
});

it('takes a number of slots that does not divide the context', async () => {
  const { engine: odd } = await engines.launch('embed', { parallel: 3 });
  expect((await odd.embed(['Hello'], context)).vectors[0]).toHaveLength(128);
});

it('embeds a text of nearly a whole context', async () => {
  const text = 'Hello there '.repeat(240);
  const { promptTokens } = await engine.embed([text], context);
  expect(promptTokens).toBeGreaterThan(400);
});

it('rejects a text longer than the context', async () => {
  await expect(engine.embed(['Hello there '.repeat(800)], context)).rejects.toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringMatching(/1602 tokens.*512/u),
  });
});

it('is rejected by a language model', async () => {
  const { engine: chatEngine } = await engines.launch('chat');
  await expect(chatEngine.embed(['Hello'], context)).rejects.toMatchObject({
    code: 'wrong_model_type',
  });
});
