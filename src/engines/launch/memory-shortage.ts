import { readFile } from 'node:fs/promises';

interface ShortageOptions {
  /** Bytes that a new process can use now. */
  readonly availableBytes: () => number;
  /** Estimated memory of the process. */
  readonly expectedBytes: number | undefined;
  /** Processes that the system has killed for lack of memory. */
  readonly countKills?: () => Promise<number>;
}

/**
 * Begins to watch for a lack of memory, before a process starts.
 *
 * @returns A function that tells whether memory was short since then: too little of it was free for the process, or the
 *   system has killed a process.
 */
export async function watchShortage(options: ShortageOptions): Promise<() => Promise<boolean>> {
  const { availableBytes, expectedBytes = 0, countKills = countOomKills } = options;
  const wasTight = availableBytes() < expectedBytes;
  const killsBefore = await countKills();
  return async () => wasTight || (await countKills()) > killsBefore;
}

/** The count of Linux's OOM killer, also within the limit of a container; 0 on other systems. */
async function countOomKills(): Promise<number> {
  return oomKills(await readFile('/proc/vmstat', 'utf8').catch(() => ''));
}

/** The count in the text of `/proc/vmstat`; 0 before Linux 4.13. */
export function oomKills(counters: string): number {
  return Number(/^oom_kill (\d+)$/mu.exec(counters)?.[1] ?? 0);
}
