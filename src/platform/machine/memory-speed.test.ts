import { expect, it } from 'vitest';
import { memoryBytesPerSecond } from './memory-speed.ts';

it('measures the speed of the memory once', async () => {
  const speed = await memoryBytesPerSecond();
  // From a loaded virtual machine to more than any computer has.
  expect(speed).toBeGreaterThan(1e8);
  expect(speed).toBeLessThan(1e13);
  expect(await memoryBytesPerSecond()).toBe(speed);
});
