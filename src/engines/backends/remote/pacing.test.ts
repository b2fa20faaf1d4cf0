import { describe, expect, it } from 'vitest';
import { createPacing } from './pacing.ts';

/** A pacing whose load the test sets. */
function setUp() {
  let load = 0;
  let samples = 0;
  let now = 0;
  const pacing = createPacing(
    () => {
      samples += 1;
      return load;
    },
    () => now,
  );
  return {
    pacing,
    sampleCount: () => samples,
    /** The interval after a load has lasted for some seconds, during which the interval is read ten times a second. */
    after: (seconds: number, newLoad: number): number => {
      load = newLoad;
      for (const end = now + seconds * 1000; now < end; now += 100) pacing.intervalMs();
      return pacing.intervalMs();
    },
  };
}

describe('createPacing', () => {
  it('passes on twenty batches a second while the process has time', () => {
    const { after } = setUp();
    expect(after(10, 0.05)).toBe(50);
    expect(after(10, 0.59)).toBe(50);
  });

  it('delays more the less time is left, up to 200 ms', () => {
    const { after } = setUp();
    const [half, most] = [after(30, 0.775), after(30, 1)];
    expect(half).toBeCloseTo((50 + 200) / 2, 0);
    expect(most).toBe(200);
    expect(after(30, 0.1)).toBe(50);
  });

  it('is not moved by a short burst', () => {
    const { after } = setUp();
    after(10, 0.1);
    expect(after(0.3, 1)).toBe(50);
  });

  it('looks at the load a few times a second, however many streams ask', () => {
    const { pacing, after, sampleCount } = setUp();
    after(1, 0.5);
    const before = sampleCount();
    for (let stream = 0; stream < 1000; stream += 1) pacing.intervalMs();
    expect(sampleCount() - before).toBeLessThanOrEqual(1);
    expect(before).toBeLessThanOrEqual(5);
  });

  it('reads the event loop of this process', () => {
    expect(createPacing().intervalMs()).toBe(50);
  });
});
