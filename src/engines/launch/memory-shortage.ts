import { readFile } from 'node:fs/promises';

interface ShortageOptions {
  /** Bytes that a new process can use now. */
  readonly availableBytes: () => number;
  /** Estimated memory of the process. */
  readonly expectedBytes: number | undefined;
  /** Counts the processes that the system has killed for lack of memory. */
  readonly countKills?: () => Promise<number>;
}

/**
 * Begins to watch for a lack of memory. Call it before a process starts.
 *
 * @returns A function that tells whether memory was short: too little was free for the process, or the system has
 *   killed a process since.
 */
export async function watchShortage(options: ShortageOptions): Promise<() => Promise<boolean>> {
  const { availableBytes, expectedBytes = 0, countKills = countOomKills } = options;
  const wasTight = availableBytes() < expectedBytes;
  const killsBefore = await countKills();
  return async () => wasTight || (await countKills()) > killsBefore;
}

/** Processes killed by Linux's OOM killer, including those that exceeded a container's limit; 0 on other systems. */
async function countOomKills(): Promise<number> {
  return oomKills(await readFile('/proc/vmstat', 'utf8').catch(() => ''));
}

/** Reads the number of killed processes from the text of `/proc/vmstat`; 0 before Linux 4.13. */
export function oomKills(counters: string): number {
  return Number(/^oom_kill (\d+)$/mu.exec(counters)?.[1] ?? 0);
}
