import { describe, expect, it } from 'vitest';
import { modelSelection } from '../../test/setup/models/model-entry.ts';
import type { Session } from '../engines/session.ts';
import { answerSpeed, sumReports } from './generation-stats.ts';
import { TurnRecorder } from './turn-recorder.ts';

const report = (completionTokens: number, generationMs: number, timeToFirstTokenSeconds = 1) => ({
  usage: { promptTokens: 10, cachedTokens: 4, completionTokens, promptMs: 1, generationMs },
  reasoningTokens: 2,
  timeToFirstTokenSeconds,
});

describe('sumReports', () => {
  it('sums drafted tokens, which not every generation has', () => {
    const { usage, ...rest } = report(30, 1000);
    const drafting = (proposedTokens: number, acceptedTokens: number) => ({
      ...rest,
      usage: { ...usage, drafts: { proposedTokens, acceptedTokens } },
    });
    const sum = sumReports([drafting(8, 5), report(10, 1000), drafting(2, 1)]);
    expect(sum.usage.drafts).toEqual({ proposedTokens: 10, acceptedTokens: 6 });
  });

  it('is zero before the first generation', () => {
    expect(sumReports([])).toEqual({
      usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
      timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
    });
  });

  it('sums generations; the time to the first token is that of the first one', () => {
    expect(sumReports([report(30, 1000, 0.5), report(10, 3000, 9)])).toEqual({
      usage: { promptTokens: 20, cachedTokens: 8, completionTokens: 40, reasoningTokens: 4 },
      timings: { timeToFirstTokenSeconds: 0.5, generationSeconds: 4, tokensPerSecond: 10 },
    });
  });

  it('measures the speed over generations of two tokens or more', () => {
    const one = report(1, 5000);
    expect(sumReports([one]).timings.tokensPerSecond).toBe(0);
    expect(sumReports([one, report(2, 1000)]).timings).toMatchObject({
      tokensPerSecond: 2,
      generationSeconds: 6,
    });
  });

  it('has no speed where the engine measured no time', () => {
    expect(sumReports([report(2, 0)]).timings.tokensPerSecond).toBe(0);
  });

  it('has the load time of a model that was not loaded', () => {
    expect(sumReports([]).timings).not.toHaveProperty('loadTimeSeconds');
    expect(sumReports([], 3).timings.loadTimeSeconds).toBe(3);
  });
});

describe('answerSpeed', () => {
  // covers v0-chat-7
  it.each<[string, number, number, number]>([
    ['the measured speed', 40, 9, 40],
    ['the whole time of one token', 0, 1, 2],
    ['none without tokens', 0, 0, 0],
  ])('tells %s', (_, tokensPerSecond, completionTokens, speed) => {
    const timings = { tokensPerSecond, timeToFirstTokenSeconds: 0.4, generationSeconds: 0.1 };
    expect(answerSpeed({ usage: { completionTokens }, timings })).toBe(speed);
  });

  it('tells no speed of an answer that took no time', () => {
    const timings = { tokensPerSecond: 0, timeToFirstTokenSeconds: 0, generationSeconds: 0 };
    expect(answerSpeed({ usage: { completionTokens: 1 }, timings })).toBe(0);
  });
});

it('has the time of the first load if the instance changes during a turn', () => {
  const selection = modelSelection();
  const lease = { instance: { selection }, loaded: {} };
  const recorder = new TurnRecorder(selection, 'resp_1', [], []);
  for (const loadTimeSeconds of [undefined, 3, 7]) {
    recorder.noteInstance({ lease, loadTimeSeconds } as Session);
  }
  expect(recorder.result(undefined).timings.loadTimeSeconds).toBe(3);
});
