import { expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { noUsage, type UsageCounts, type UsageKey } from './usage-repository.ts';

const row = (
  [day, tokenId, modelKey]: readonly [string, string | null, string],
  counts: Partial<UsageCounts>,
): UsageKey & UsageCounts => ({ ...noUsage, day, tokenId, modelKey, ...counts });

const rows = [
  row(['2026-11-02', 'a', 'hearth/one'], { requests: 3, promptTokens: 5, completionTokens: 7 }),
  row(['2026-11-01', null, 'hearth/two'], { requests: 1, failedRequests: 1 }),
  row(['2026-11-01', 'a', 'hearth/one'], { requests: 2, promptTokens: 9, cachedPromptTokens: 4 }),
];
const november = { from: '2026-11-01', to: '2026-11-30' };

it('adds up the rows, in the groups of the query', async () => {
  const { usage } = await temporaryStore();
  await usage.add(rows);
  await usage.add(rows);
  expect(await usage.sum({ ...november, groupBy: ['tokenId', 'day', 'modelKey'] })).toEqual([
    { ...rows[2], requests: 4, promptTokens: 18, cachedPromptTokens: 8 },
    { ...rows[1], requests: 2, failedRequests: 2 },
    { ...rows[0], requests: 6, promptTokens: 10, completionTokens: 14 },
  ]);
  expect(await usage.sum({ ...november, groupBy: ['tokenId'] })).toMatchObject([
    { tokenId: null, requests: 2 },
    { tokenId: 'a', requests: 10, promptTokens: 28 },
  ]);
  const [total, ...others] = await usage.sum({ ...november, groupBy: [] });
  expect(total).toEqual({
    requests: 12,
    failedRequests: 2,
    promptTokens: 28,
    cachedPromptTokens: 8,
    completionTokens: 14,
  });
  expect(others).toEqual([]);
});

it('reads days and one token', async () => {
  const { usage } = await temporaryStore();
  await usage.add(rows);
  const days = { from: '2026-11-02', to: '2026-11-02', groupBy: ['day'] } as const;
  expect(await usage.sum(days)).toMatchObject([{ day: '2026-11-02', requests: 3 }]);
  expect(await usage.sum({ ...days, tokenId: 'b' })).toEqual([]);
  expect(await usage.sum({ ...november, groupBy: [], tokenId: null })).toMatchObject([
    { requests: 1 },
  ]);
  expect(await usage.sum({ ...november, to: '2026-10-31', groupBy: [] })).toEqual([]);
});

it('adds more rows than one statement takes, while others add theirs', async () => {
  const { usage } = await temporaryStore();
  const many = Array.from({ length: 1100 }, (_, index) =>
    row(['2026-11-01', 'a', `hearth/${index}`], { requests: 1, promptTokens: 2 ** 40 }),
  );
  await Promise.all([usage.add(many), usage.add(many.toReversed()), usage.add([])]);
  expect(await usage.sum({ ...november, groupBy: [] })).toMatchObject([
    { requests: 2200, promptTokens: 2200 * 2 ** 40 },
  ]);
});
