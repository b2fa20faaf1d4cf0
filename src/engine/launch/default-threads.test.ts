import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { countPhysicalCores, defaultThreads } from './default-threads.ts';

it('leaves one core free', async () => {
  const threads = await defaultThreads();
  expect(threads).toBeGreaterThanOrEqual(1);
  expect(threads).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1));
});

it('counts cores, not hyper-threads', () => {
  const processor = (socket: number, core: number): string =>
    `processor\t: 0\nphysical id\t: ${socket}\ncore id\t\t: ${core}\n`;
  const cores = [processor(0, 0), processor(0, 1), processor(1, 0), processor(1, 1)];
  const cpuInfo = [...cores, ...cores].join('\n');
  expect(countPhysicalCores(cpuInfo)).toBe(4);
  expect(countPhysicalCores('processor\t: 0\n')).toBeUndefined();
});
