import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine, GenerationEvent, GenerationRequest } from '../../src/engines/engine.ts';
import { createTestEngines, generateAll, type TestEngines } from '../setup/engine/test-engines.ts';
import { testContext } from '../setup/test-context.ts';
import { placeEndlessModel } from '../setup/models/endless-model.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

/** Generates until the context is full: longer than a test may take, so that only an abort frees the slot in time. */
const endless: GenerationRequest = {
  kind: 'completion',
  prompt: 'Once upon a time',
  sampling: { temperature: 0, logitBias: { '0': -100, '2': -100 } },
};
const longPrompt: GenerationRequest = {
  kind: 'completion',
  prompt: 'Hello there '.repeat(20_000),
  maxTokens: 1,
  sampling: { temperature: 0 },
};
const short: GenerationRequest = { ...endless, maxTokens: 1 };

let engines: TestEngines;
let engine: Engine;
const home = useTemporaryFolder();

beforeAll(async () => {
  engines = await createTestEngines();
  const modelPath = await placeEndlessModel(home.path);
  // With one slot, the next request can only be answered when this one has freed it.
  ({ engine } = await engines.launch('chat', { modelPath, contextLength: 65_536 }));
});
afterAll(() => engines.close());

async function abortAt(
  request: GenerationRequest,
  isMoment: (event: GenerationEvent) => boolean,
): Promise<void> {
  const controller = new AbortController();
  const reason = new Error('the client went away');
  const events = engine.generate(request, testContext({ signal: controller.signal }));
  await expect(async () => {
    for await (const event of events) if (isMoment(event)) controller.abort(reason);
  }).rejects.toBe(reason);
}

it.each([
  ['generating', endless, (event: GenerationEvent) => event.type === 'content.delta'],
  [
    'reading the prompt',
    longPrompt,
    (event: GenerationEvent) => event.type === 'prompt.progress' && event.processedTokens > 0,
  ],
] as const)('stops the engine while %s', async (_, request, isMoment) => {
  await abortAt(request, isMoment);
  expect(await generateAll(engine, short)).toMatchObject({
    end: { stopReason: 'maxPredictedTokensReached' },
  });
});

it('stops the engine when the reader stops reading', async () => {
  for await (const event of engine.generate(endless, testContext())) {
    if (event.type === 'content.delta') break;
  }
  expect(await generateAll(engine, short)).toMatchObject({
    end: { stopReason: 'maxPredictedTokensReached' },
  });
});

it('throws the reason of a signal that was aborted before', async () => {
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(generateAll(engine, short, signal)).rejects.toThrow('too late');
  await expect(engine.countTokens('Hello', testContext({ signal }))).rejects.toThrow('too late');
});
