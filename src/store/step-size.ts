/** Time that a step of a long operation takes, as it blocks the event loop. */
const targetMs = 4;
const firstSize = 32;
const maxSize = 512;

/** The size of the steps of a long operation: as many items as take a few milliseconds. */
export class StepSize {
  #size = firstSize;

  /** Items of the next step. */
  get size(): number {
    return this.#size;
  }

  /** Learns how long a step of this size took. Sizes are powers of two, so that few statements are prepared. */
  learn(elapsedMs: number): void {
    if (elapsedMs > targetMs) this.#size = Math.max(1, this.#size / 2);
    else if (elapsedMs < targetMs / 2) this.#size = Math.min(maxSize, this.#size * 2);
  }
}
