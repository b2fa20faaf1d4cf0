import { expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { coalesceRuns } from './coalesce-runs.ts';

it('joins the run that starts next, never one that has started', async () => {
  const gates = [deferred<string>(), deferred<string>()];
  let runs = 0;
  const run = coalesceRuns(() => {
    runs += 1;
    return gates[runs - 1]?.promise ?? Promise.resolve('third');
  });
  const early = [run(), run()];
  await Promise.resolve();
  expect(runs).toBe(1);
  const late = [run(), run()];
  await Promise.resolve();
  expect(runs).toBe(1);
  gates[0]?.resolve('first');
  expect(await Promise.all(early)).toEqual(['first', 'first']);
  gates[1]?.resolve('second');
  expect(await Promise.all(late)).toEqual(['second', 'second']);
  expect(await run()).toBe('third');
});

it('runs again after a failure', async () => {
  let runs = 0;
  const run = coalesceRuns(async () => {
    runs += 1;
    if (runs === 1) throw new Error('no');
    return runs;
  });
  await expect(run()).rejects.toThrow('no');
  expect(await run()).toBe(2);
});
