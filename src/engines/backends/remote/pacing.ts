import { performance } from 'node:perf_hooks';
import { minBatchMs } from '../wire/stream-decoder.ts';

/** Share of the time that the process works, from which on tokens wait for each other, and at which they wait longest. */
const busy = { from: 0.6, full: 0.95 };
/** Five pieces a second look like a steady stream. */
const maxBatchMs = 200;
const sampledEveryMs = 250;
/** Part of a new sample in the mean: a short burst changes little. */
const weight = 0.3;

/** How long the tokens of a stream wait for each other, after its first one. */
export interface Pacing {
  /** Minimum time between two batches of a stream. */
  intervalMs(): number;
}

/**
 * Paces streams by the load of this process. A batch of tokens costs about as much as a single one, so a process whose
 * event loop is nearly full keeps up by sending fewer and longer pieces.
 *
 * @param utilization Share of the time since the last call in which the event loop worked, from 0 to 1.
 */
export function createPacing(
  utilization: () => number = eventLoopUtilization(),
  now: () => number = () => performance.now(),
): Pacing {
  let sampledAt = now();
  let mean = 0;
  return {
    intervalMs: () => {
      const at = now();
      if (at - sampledAt >= sampledEveryMs) {
        sampledAt = at;
        mean += weight * (utilization() - mean);
      }
      const load = (mean - busy.from) / (busy.full - busy.from);
      return minBatchMs + (maxBatchMs - minBatchMs) * Math.min(1, Math.max(0, load));
    },
  };
}

function eventLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
