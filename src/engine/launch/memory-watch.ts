export interface MemoryWatchOptions {
  /** Memory of the process in bytes; undefined if the platform does not report it. */
  readonly measureBytes: () => Promise<number | undefined>;
  /** Estimated memory; the current memory is used if it is higher, or if there is no estimate. */
  readonly expectedBytes: number | undefined;
  /** Bytes allowed beyond twice the estimate. */
  readonly spareBytes: number;
  readonly intervalMs: number;
  /** Called once when the limit is exceeded, after which the watch ends. */
  readonly onOutgrown: (bytes: number, limitBytes: number) => void;
}

/** Watches the memory of a loaded engine until `close`. Does nothing if the platform does not report it. */
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
