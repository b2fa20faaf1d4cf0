import { expect, it } from 'vitest';
import { oomKills, watchShortage } from './memory-shortage.ts';

it.each([
  ['nothing happens', 100, 50, 0, false],
  ['too little memory is free', 49, 50, 0, true],
  ['the system kills a process', 100, 50, 1, true],
  ['nothing happens to a process without an estimate', 0, undefined, 0, false],
])('where %s', async (_, available, expectedBytes, kills, wasShort) => {
  let count = 7;
  const countKills = async () => count;
  const watch = await watchShortage({ availableBytes: () => available, expectedBytes, countKills });
  count += kills;
  expect(await watch()).toBe(wasShort);
});

it.each([
  ['nr_free_pages 3\noom_kill 12\nnuma_hit 4\n', 12],
  ['nr_free_pages 3\nnuma_hit 4\n', 0],
  ['oom_kill -1\n', 0],
  ['', 0],
])('counts the processes that the system has killed in %j', (counters, kills) => {
  expect(oomKills(counters)).toBe(kills);
});
