const windowMs = 5000;
const sampleMs = 100;
/** A shorter span is too short to measure a speed. */
const shortestSpanMs = 500;

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Measures bytes per second over the last five seconds. */
export class SpeedMeter {
  #samples: Sample[] = [];

  /** @param bytes Total number of bytes so far. */
  add(bytes: number, nowMs: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && nowMs - last.atMs < sampleMs) return;
    this.#samples.push({ atMs: nowMs, bytes });
    this.#forget(nowMs);
  }

  /** Undefined while the speed is unknown. */
  bytesPerSecond(bytes: number, nowMs: number): number | undefined {
    this.#forget(nowMs);
    const first = this.#samples[0];
    if (first === undefined || nowMs - first.atMs < shortestSpanMs) return undefined;
    return Math.max(0, (bytes - first.bytes) / ((nowMs - first.atMs) / 1000));
  }

  /** Drops samples older than the window, except the newest of them, which is its beginning. */
  #forget(nowMs: number): void {
    const inside = this.#samples.findIndex(({ atMs }) => atMs > nowMs - windowMs);
    const keptFrom = inside === -1 ? this.#samples.length - 1 : inside - 1;
    if (keptFrom > 0) this.#samples = this.#samples.slice(keptFrom);
  }
}
