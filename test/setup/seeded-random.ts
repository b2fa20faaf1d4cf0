import { onTestFailed } from 'vitest';
import { randomNumbers } from './random-numbers.ts';

/** The seed of this run; `vitest.config.ts` chooses it. `HEARTH_TEST_SEED=<seed>` repeats a run. */
export const testSeed = Number(process.env['HEARTH_TEST_SEED']);

/**
 * Random numbers from 0 to 1, excluding 1. By default they are derived from the run's seed, so they differ from run to
 * run; a failed test prints the seed.
 */
export function seededRandom(seed?: number): () => number {
  if (seed === undefined) {
    onTestFailed(() => console.error(`HEARTH_TEST_SEED=${testSeed} repeats these random numbers.`));
  }
  return randomNumbers(seed ?? testSeed);
}
