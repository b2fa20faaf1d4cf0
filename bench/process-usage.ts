import { readdirSync, readFileSync } from 'node:fs';

/** Unit of the times in `/proc/<pid>/stat`: `USER_HZ`, which is 100 on every Linux (proc(5)). */
const ticksPerSecond = 100;

/** CPU time of a process so far, in microseconds; undefined without `/proc`. */
export function cpuMicroseconds(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [fields?.[11], fields?.[12]];
  if (userTicks === undefined || systemTicks === undefined) return undefined;
  return ((Number(userTicks) + Number(systemTicks)) / ticksPerSecond) * 1e6;
}

/** Like `cpuMicroseconds`, but with a finer resolution for short intervals. Threads that have ended are not counted. */
export function threadMicroseconds(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0))
      .reduce((sum, nanoseconds) => sum + nanoseconds / 1000, 0);
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
