export interface MemoryWatchOptions {
  /** Memory of the process in bytes; undefined where the platform does not tell. */
  readonly measureBytes: () => Promise<number | undefined>;
  /** What it may come to; what it has now counts where that is more, or where it is not known. */
  readonly expectedBytes: number | undefined;
  /** What it may have beyond twice of that. */
  readonly spareBytes: number;
  readonly intervalMs: number;
  /** Called once; the watch has ended then. */
  readonly onOutgrown: (bytes: number, limitBytes: number) => void;
}

/**
 * Watches a process that shall not grow much any more, until `close`. Where the platform does not tell its
 * memory, nothing is watched.
 */
export async function watchMemory(
  options: MemoryWatchOptions,
): Promise<{ readonly close: () => void }> {
  const { measureBytes, expectedBytes = 0, spareBytes, intervalMs, onOutgrown } = options;
  const bytesAtFirst = await measureBytes();
  if (bytesAtFirst === undefined) return { close: () => {} };
  const limitBytes = 2 * Math.max(expectedBytes, bytesAtFirst) + spareBytes;
  const check = async (): Promise<void> => {
    const bytes = await measureBytes();
    if (bytes === undefined || bytes <= limitBytes) return;
    clearInterval(timer);
    onOutgrown(bytes, limitBytes);
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  return { close: () => clearInterval(timer) };
}
