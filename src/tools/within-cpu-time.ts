import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';

/** The work took more CPU time than its limit and was interrupted. */
export class CpuTimeError extends Error {
  override readonly name = 'CpuTimeError';
}

const context = createContext({ work: undefined as (() => void) | undefined });
const script = new Script('work()');

/**
 * Maximum wall-clock time of all attempts together, as a multiple of the CPU limit. If they take longer, the machine is
 * too busy.
 */
const maxWallLimits = 20;
/** Longest delay with which the system updates the CPU time of a thread. */
const clockLagMs = 10;

/**
 * Runs synchronous work that untrusted data can make endless, such as matching an untrusted regular expression. V8 can
 * interrupt only after wall-clock time, in which a busy machine may have run other work. If the CPU time was not used
 * up by then, the work starts again with twice the time. So it must be repeatable, and objects that it was changing
 * when interrupted must be discarded.
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
    // The time limit includes everything that the script calls, such as regular expressions.
    script.runInContext(context, { timeout: wallMs });
    return results[0];
  } catch (error) {
    // The error belongs to the other context, so it is not an instance of this context's classes.
    const code = (error as { readonly code?: unknown } | undefined)?.code;
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return results[0];
  } finally {
    context['work'] = undefined;
  }
}

/** CPU time of this thread in ms. If the platform does not report it, the CPU time of the whole process. */
export function threadCpuMs(): number {
  // Node 23.9 and later.
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage };
  const usage = threadCpuUsage?.call(process);
  if (usage !== undefined) return (usage.user + usage.system) / 1000;
  try {
    // On Linux, the first number is nanoseconds on the CPU (Documentation/scheduler/sched-stats.rst).
    const nanoseconds = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    if (nanoseconds > 0) return nanoseconds / 1e6;
  } catch {
    // The system is not Linux, or its kernel lacks this file.
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
