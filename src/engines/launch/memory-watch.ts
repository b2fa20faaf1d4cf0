import { readFile } from 'node:fs/promises';

export interface MemoryWatchOptions {
  /** Memory of the process in bytes; undefined if the platform does not report it. */
  readonly measureBytes: () => Promise<number | undefined>;
  /** Estimated memory; undefined: no limit until the engine is loaded. */
  readonly expectedBytes: number | undefined;
  /** Bytes allowed beyond twice the estimate. */
  readonly spareBytes: number;
  readonly intervalMs: number;
  /** Called once, when the limit is exceeded. The watch then ends. */
  readonly onOutgrown: (bytes: number, limitBytes: number) => void;
}

export interface MemoryWatch {
  /** Must be called once the engine is loaded. If its memory exceeds the estimate, the estimate is raised to it. */
  readonly markLoaded: () => Promise<void>;
  readonly close: () => void;
}

/** Watches the memory of an engine from its start until `close`. */
export function watchMemory(options: MemoryWatchOptions): MemoryWatch {
  const { measureBytes, expectedBytes, spareBytes, intervalMs, onOutgrown } = options;
  const limitFor = (bytes: number): number => 2 * bytes + spareBytes;
  let limitBytes = expectedBytes === undefined ? Infinity : limitFor(expectedBytes);
  const check = async (): Promise<void> => {
    const bytes = await measureBytes();
    if (bytes === undefined || bytes <= limitBytes) return;
    clearInterval(timer);
    onOutgrown(bytes, limitBytes);
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  return {
    markLoaded: async () => {
      const bytes = await measureBytes();
      if (bytes === undefined) clearInterval(timer);
      else limitBytes = limitFor(Math.max(expectedBytes ?? 0, bytes));
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Resident memory of a process in bytes, from Linux's `/proc`; undefined on other systems, or if the process has
 * ended.
 *
 * @param part `RssAnon`: without mapped files, such as weights.
 */
export async function residentBytes(
  pid: number,
  part: 'VmRSS' | 'RssAnon' = 'VmRSS',
): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = new RegExp(`^${part}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
