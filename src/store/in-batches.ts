import { setImmediate as nextLoop } from 'node:timers/promises';

/** Rows that one step of a long operation reads or writes: each step blocks the event loop. */
const batchSize = 200;

/** Splits a long operation into steps; other work of the server runs between them. */
export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    if (start > 0) await nextLoop();
    yield items.slice(start, start + batchSize);
  }
}
