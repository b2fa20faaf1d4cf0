import { expect, it, vi } from 'vitest';
import { mergeIndex, type RunAlone } from './reclaim-space.ts';
import type { RunStatement } from './statement-thread.ts';

it('ends the merge of the search index while others change the database all the time', async () => {
  const changesOfMerges = [40, 40, 1];
  let merges = 0;
  let totalChanges = 0;
  const run = vi.fn<RunStatement>(async (statement) => {
    if (statement.startsWith('select')) return [{ count: totalChanges }];
    totalChanges += changesOfMerges[merges] ?? 1;
    merges += 1;
    return [];
  });
  const runAlone: RunAlone = async (work) => {
    const result = await work(run);
    totalChanges += 5;
    return result;
  };
  await mergeIndex(runAlone, 'some', AbortSignal.timeout(5000));
  expect(merges).toBe(changesOfMerges.length);
});
