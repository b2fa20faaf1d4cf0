import { vi } from 'vitest';
import { z } from 'zod';
import type { HearthProcess } from './hearth-process.ts';
import { isRunning } from '../processes/is-running.ts';

const loadedSchema = z.object({
  msg: z.literal('model loaded'),
  instance: z.string(),
  pid: z.int(),
});

/** Loads in a server's log, oldest first, each with the engine process that it started. */
export function loadedEngines(log: string): readonly z.infer<typeof loadedSchema>[] {
  return log.split('\n').flatMap((line) => {
    const parsed = loadedSchema.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}

/** The process id of an instance's current engine. Waits for the log, which comes through a pipe. */
export function enginePidOf(hearth: HearthProcess, instance: string): Promise<number> {
  return vi.waitFor(
    async () => {
      const last = loadedEngines(hearth.log()).findLast((loaded) => loaded.instance === instance);
      if (last === undefined || !(await isRunning(last.pid)))
        throw new Error(`No ${instance} runs.`);
      return last.pid;
    },
    { timeout: 5000, interval: 20 },
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
