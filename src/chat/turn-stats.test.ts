import { describe, expect, it } from 'vitest';
import { TurnStats } from './turn-recorder.ts';

const report = (completionTokens: number, generationMs: number, timeToFirstTokenSeconds = 1) => ({
  usage: { promptTokens: 10, cachedTokens: 4, completionTokens, promptMs: 1, generationMs },
  reasoningTokens: 2,
  timeToFirstTokenSeconds,
});

describe('TurnStats', () => {
  it('sums drafted tokens, which not every generation has', () => {
    const stats = new TurnStats();
    const { usage, ...rest } = report(30, 1000);
    stats.add({ ...rest, usage: { ...usage, drafts: { proposedTokens: 8, acceptedTokens: 5 } } });
    stats.add(report(10, 1000));
    stats.add({ ...rest, usage: { ...usage, drafts: { proposedTokens: 2, acceptedTokens: 1 } } });
    expect(stats.usage().drafts).toEqual({ proposedTokens: 10, acceptedTokens: 6 });
  });

  it('is zero before the first generation', () => {
    const stats = new TurnStats();
    expect(stats.usage()).toEqual({
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
    });
    expect(stats.timings()).toEqual({
      timeToFirstTokenSeconds: 0,
      generationSeconds: 0,
      tokensPerSecond: 0,
    });
  });

  it('sums generations; the time to the first token is that of the first one', () => {
    const stats = new TurnStats();
    stats.add(report(30, 1000, 0.5));
    stats.add(report(10, 3000, 9));
    expect(stats.usage()).toEqual({
      promptTokens: 20,
      cachedTokens: 8,
      completionTokens: 40,
      reasoningTokens: 4,
    });
    expect(stats.timings()).toEqual({
      timeToFirstTokenSeconds: 0.5,
      generationSeconds: 4,
      tokensPerSecond: 10,
    });
  });

  it('measures the speed over generations of two tokens or more', () => {
    const stats = new TurnStats();
    stats.add(report(1, 5000));
    expect(stats.timings().tokensPerSecond).toBe(0);
    stats.add(report(2, 1000));
    expect(stats.timings()).toMatchObject({ tokensPerSecond: 2, generationSeconds: 6 });
  });

  it('has no speed where the engine measured no time', () => {
    const stats = new TurnStats();
    stats.add(report(2, 0));
    expect(stats.timings().tokensPerSecond).toBe(0);
  });

  it('keeps the first load time that is known', () => {
    const stats = new TurnStats();
    stats.noteLoad(undefined);
    expect(stats.timings()).not.toHaveProperty('loadTimeSeconds');
    stats.noteLoad(3);
    stats.noteLoad(7);
    expect(stats.timings().loadTimeSeconds).toBe(3);
  });
});
