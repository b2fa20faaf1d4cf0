import { onTestFailed } from 'vitest';

/** The seed of this run; `vitest.config.ts` chooses it. `HEARTH_TEST_SEED=<seed>` repeats a run. */
export const testSeed = Number(process.env['HEARTH_TEST_SEED']);

/**
 * Random numbers from 0 to 1, 1 excluded (mulberry32). Numbers from the run's seed differ from run to run: a test
 * that fails prints the seed.
 */
export function seededRandom(seed?: number): () => number {
  if (seed === undefined) {
    onTestFailed(() => console.error(`HEARTH_TEST_SEED=${testSeed} repeats these random numbers.`));
  }
  let state = seed ?? testSeed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
