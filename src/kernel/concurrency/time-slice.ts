import { setImmediate as nextLoop } from 'node:timers/promises';

const sliceMs = 3;

/** Lets other work of the event loop run during a long computation. */
export class TimeSlice {
  #start = performance.now();

  /** True if the computation has run long enough to `pause`. */
  get isOver(): boolean {
    return performance.now() - this.#start >= sliceMs;
  }

  /** Lets other work run if the slice is over. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await nextLoop();
    this.#start = performance.now();
  }
}
