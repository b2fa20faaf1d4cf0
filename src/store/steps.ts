import { setImmediate as nextLoop } from 'node:timers/promises';
import type { DeleteResult } from 'kysely';

/** Duration to aim for, since a step blocks the event loop. */
const targetMs = 4;
const firstSize = 32;
const maxSize = 512;

/** Adapts the size of a long operation's steps, so that each takes a few milliseconds. */
export class StepSize {
  #size = firstSize;

  /** Items of the next step. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adapts to the time that a step of the current size took. Sizes are powers of two, so that few statements are
   * prepared.
   */
  learn(elapsedMs: number): void {
    if (elapsedMs > targetMs) this.#size = Math.max(1, this.#size / 2);
    else if (elapsedMs < targetMs / 2) this.#size = Math.min(maxSize, this.#size * 2);
  }
}

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

/**
 * Deletes many rows with repeated statements, until nothing is left. Other work of the server runs between two
 * statements.
 *
 * @param deleteSome Deletes a limited number of the rows.
 */
export async function deleteInSteps(deleteSome: () => Promise<DeleteResult>): Promise<void> {
  while ((await deleteSome()).numDeletedRows > 0n) await nextLoop();
}
