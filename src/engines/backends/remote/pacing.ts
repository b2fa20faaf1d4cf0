import { performance } from 'node:perf_hooks';
import { minBatchMs } from '../wire/stream-decoder.ts';

/** Utilization of the process at which tokens begin to wait for each other, and at which they wait longest. */
const busy = { from: 0.6, full: 0.95 };
/** Five batches a second look like a steady stream. */
const maxBatchMs = 200;
const sampledEveryMs = 250;
/** Weight of a new sample in the mean. Low, so that a short burst changes little. */
const weight = 0.3;

/** Decides how long the tokens of a stream wait to be sent together. The first token never waits. */
export interface Pacing {
  /** Minimum time between two batches of a stream. */
  intervalMs(): number;
}

/**
 * Paces streams by the load of this process. A batch of tokens costs about as much as a single token, so a process
 * with a busy event loop keeps up by sending fewer, larger batches.
 *
 * @param utilization Returns the event loop's utilization since the previous call, from 0 to 1.
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
