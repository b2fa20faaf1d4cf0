/** Upper bounds of the buckets in seconds, as vLLM has them for its inter-token latency. */
export const intervalBounds = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
] as const;

/** A histogram of the time between tokens. To add one allocates nothing. */
export class TokenIntervals {
  /** One count for each bound, and one for longer intervals. */
  readonly counts = new Float64Array(intervalBounds.length + 1);
  sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < intervalBounds.length && seconds > (intervalBounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumSeconds += seconds;
  }

  merge({ counts, sumSeconds }: TokenIntervals): void {
    for (const [bucket, count] of counts.entries()) {
      this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    }
    this.sumSeconds += sumSeconds;
  }
}
