import { describe, expect, it, vi } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';
import { runCompletion, type CompletionEvent, type CompletionRequest } from './run-completion.ts';

const logprob = { token: 'a', logprob: -1, bytes: null, topLogprobs: [] };
const end: GenerationEvent = {
  type: 'generation.end',
  stopReason: 'stopStringFound',
  isMalformed: false,
  usage: {
    promptTokens: 4,
    cachedTokens: 1,
    completionTokens: 2,
    promptMs: 1,
    generationMs: 500,
  },
};

function setUp(events: readonly GenerationEvent[]) {
  const requests: GenerationRequest[] = [];
  const { pool, launcher } = scriptedPool(
    modelEntry(),
    modelEntry({ key: 'test/infill', supportsInfill: true }),
    modelEntry({ key: 'test/embed', type: 'embeddings' }),
  );
  launcher.onGenerate = async function* (_signal, request) {
    requests.push(request);
    yield* events;
    yield end;
  };
  const start = (changes: Partial<CompletionRequest> = {}, context = testContext()) =>
    runCompletion(
      { pool },
      { model: 'test/model', prompt: 'Once', sampling: {}, waitsForLoad: false, ...changes },
      context,
    );
  const run = async (...args: Parameters<typeof start>) => {
    const seen: CompletionEvent[] = [];
    for await (const event of start(...args)) seen.push(event);
    return seen;
  };
  return { pool, launcher, requests, start, run };
}

const progress = { processedTokens: 4, cachedTokens: 1, totalTokens: 4 };

describe('runCompletion', () => {
  it('yields start, load, prompt, text and the result', async () => {
    const { run } = setUp([
      { type: 'prompt.progress', ...progress },
      { type: 'content.delta', text: ' in' },
      { type: 'content.delta', text: ' a', logprobs: [logprob] },
    ]);
    const events = await run();
    expect(events).toMatchObject([
      { type: 'completion.start', instanceId: 'test/model' },
      { type: 'load.start', instanceId: 'test/model' },
      { type: 'load.end', loadTimeSeconds: expect.any(Number) },
      { type: 'prompt.start' },
      { type: 'prompt.progress', ...progress },
      { type: 'prompt.end' },
      { type: 'text.delta', text: ' in' },
      { type: 'text.delta', text: ' a', logprobs: [logprob] },
      {
        type: 'completion.end',
        result: {
          text: ' in a',
          instanceId: 'test/model',
          selection: { model: { key: 'test/model' } },
          capabilities: { runtimeName: 'scripted' },
          stopReason: 'stopStringFound',
          isMalformed: false,
          usage: { promptTokens: 4, cachedTokens: 1, completionTokens: 2, reasoningTokens: 0 },
          timings: {
            tokensPerSecond: 4,
            generationSeconds: 0.5,
            loadTimeSeconds: expect.any(Number),
          },
          logprobs: [logprob],
        },
      },
    ]);
    // The second one finds the model loaded.
    const [, second] = await run();
    expect(second).toEqual({ type: 'prompt.start' });
  });

  it('passes every option on to the engine', async () => {
    const { run, requests } = setUp([]);
    const sampling = { seed: 7, topP: 0.5 };
    const events = await run({
      model: 'test/infill',
      suffix: 'end',
      sampling,
      stop: ['x'],
      topLogprobs: 2,
      maxOutputTokens: 9,
    });
    expect(requests).toEqual([
      {
        kind: 'completion',
        prompt: 'Once',
        suffix: 'end',
        sampling,
        stop: ['x'],
        topLogprobs: 2,
        maxTokens: 9,
      },
    ]);
    expect(events.at(-1)).toMatchObject({ result: { text: '' } });
    expect(events.at(-1)).not.toHaveProperty('result.logprobs');
  });

  it('throws errors of the request before the first event', async () => {
    const { run, launcher } = setUp([]);
    await expect(run({ suffix: '' })).rejects.toMatchObject({
      code: 'infill_unsupported',
      field: 'suffix',
    });
    await expect(run({ model: 'test/embed' })).rejects.toMatchObject({ code: 'wrong_model_type' });
    const reason = new Error('gone already');
    const context = testContext({ signal: AbortSignal.abort(reason) });
    await expect(run({}, context)).rejects.toBe(reason);
    expect(launcher.launchCount()).toBe(0);
  });

  it('does not resolve the model again if its target is known', async () => {
    const { run, pool } = setUp([]);
    const target = await pool.resolve('test/model', 'generation');
    const resolve = vi.spyOn(pool, 'resolve');
    expect((await run({ target })).at(-1)?.type).toBe('completion.end');
    expect(resolve).not.toHaveBeenCalled();
  });

  it('frees the instance when it fails or its reader stops', async () => {
    const { start, run, pool, launcher } = setUp([{ type: 'content.delta', text: 'x' }]);
    for await (const event of start()) if (event.type === 'text.delta') break;
    await vi.waitFor(() =>
      expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0 }]),
    );
    const failure = new HearthError('context_length_exceeded', 'Too long.');
    launcher.onGenerate = async function* () {
      yield { type: 'prompt.progress', ...progress };
      throw failure;
    };
    await expect(run()).rejects.toBe(failure);
    expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0 }]);
  });
});
