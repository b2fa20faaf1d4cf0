import { expect, it } from 'vitest';
import { inBatches, StepSize } from './steps.ts';

it('grows while steps are short, and shrinks when they are long', () => {
  const steps = new StepSize();
  const first = steps.size;
  steps.learn(3);
  expect(steps.size).toBe(first);
  steps.learn(0);
  expect(steps.size).toBe(2 * first);
  for (let count = 0; count < 20; count += 1) steps.learn(0);
  expect(steps.size).toBe(512);
  for (let count = 0; count < 20; count += 1) steps.learn(1000);
  expect(steps.size).toBe(1);
});

it.each([0, 1, 32, 33, 3000])('hands out each of %d items once, in their order', async (count) => {
  const items = Array.from({ length: count }, (_, index) => index);
  const seen: number[] = [];
  for await (const batch of inBatches(items)) seen.push(...batch);
  expect(seen).toEqual(items);
});

it('lets other work run between two steps', async () => {
  const order: string[] = [];
  for await (const _ of inBatches(Array.from({ length: 100 }))) {
    if (order.length === 0) setImmediate(() => order.push('other'));
    order.push('step');
  }
  expect(order.slice(0, 3)).toEqual(['step', 'other', 'step']);
});
