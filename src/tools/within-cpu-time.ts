import { createContext, runInContext } from 'node:vm';

/** The work took longer than its limit and was stopped in the middle. */
export class CpuTimeError extends Error {
  override readonly name = 'CpuTimeError';
}

const context = createContext({ work: undefined as (() => void) | undefined });

/**
 * Runs synchronous work that a stranger's data can make endless, such as a regular expression of theirs.
 * What the work was changing when it was stopped can't be used any more.
 *
 * @throws CpuTimeError; what the work throws.
 */
export function withinCpuTime<Result>(limitMs: number, work: () => Result): Result {
  const results: Result[] = [];
  context['work'] = () => {
    results.push(work());
  };
  try {
    // Its time limit holds for everything that the script calls, the engine of regular expressions included.
    runInContext('work()', context, { timeout: limitMs });
  } catch (error) {
    // It is an error of the other context, and so no instance of our classes.
    const code = (error as { readonly code?: unknown } | undefined)?.code;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new CpuTimeError();
    throw error;
  } finally {
    context['work'] = undefined;
  }
  const [result] = results;
  return result as Result;
}
