import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';

/** The work took more CPU time than its limit and was interrupted. */
export class CpuTimeError extends Error {
  override readonly name = 'CpuTimeError';
}

const context = createContext({ work: undefined as (() => void) | undefined });
const script = new Script('work()');

/** Factor of wall-clock time after which work is interrupted for good: the machine is too busy. */
const maxWallLimits = 20;
/** The system updates the CPU time of a thread at most this late. */
const clockLagMs = 10;

/**
 * Runs synchronous work that untrusted data can make endless, such as an untrusted regular expression. V8 can
 * interrupt it only after a wall-clock time, in which a busy machine may have run other work. Then the work starts
 * again with twice the time, until it is done or its runs have used the CPU time. So it must be repeatable,
 * and objects that it was changing when interrupted must be discarded.
 *
 * @param limitMs CPU time of this thread.
 * @throws CpuTimeError; the errors of the work.
 */
export function withinCpuTime<Result>(limitMs: number, work: () => Result): Result {
  const startedMs = threadCpuMs();
  for (let wallMs = limitMs, totalWallMs = 0; ; wallMs *= 2) {
    const result = runFor(wallMs, work);
    if (result !== undefined) return result.value;
    totalWallMs += wallMs;
    const usedMs = threadCpuMs() - startedMs;
    if (usedMs + clockLagMs >= limitMs || totalWallMs >= limitMs * maxWallLimits) {
      throw new CpuTimeError(`not done in ${limitMs} ms of CPU time`);
    }
  }
}

/** Undefined after an interruption. */
function runFor<Result>(
  wallMs: number,
  work: () => Result,
): { readonly value: Result } | undefined {
  const results: { readonly value: Result }[] = [];
  context['work'] = () => {
    results.push({ value: work() });
  };
  try {
    // The time limit applies to everything that the script calls, regular expressions included.
    script.runInContext(context, { timeout: wallMs });
    return results[0];
  } catch (error) {
    // The error belongs to the other context, so it is not an instance of our classes.
    const code = (error as { readonly code?: unknown } | undefined)?.code;
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return results[0];
  } finally {
    context['work'] = undefined;
  }
}

/** CPU time of this thread in ms; the CPU time of the whole process if the platform reports no other. */
export function threadCpuMs(): number {
  // Node 23.9 and later.
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage };
  const usage = threadCpuUsage?.call(process);
  if (usage !== undefined) return (usage.user + usage.system) / 1000;
  try {
    // Linux: nanoseconds on the CPU come first (Documentation/scheduler/sched-stats.rst).
    const nanoseconds = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    if (nanoseconds > 0) return nanoseconds / 1e6;
  } catch {
    // Not Linux, or a kernel without this file.
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
