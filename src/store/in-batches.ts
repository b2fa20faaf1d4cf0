import { setImmediate as nextLoop } from 'node:timers/promises';
import { StepSize } from './step-size.ts';

/** Splits a long operation into steps of a few milliseconds; other work of the server runs between them. */
export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  const steps = new StepSize();
  for (let start = 0; start < items.length;) {
    const { size } = steps;
    const startedAt = performance.now();
    yield items.slice(start, start + size);
    steps.learn(performance.now() - startedAt);
    start += size;
    if (start < items.length) await nextLoop();
  }
}
