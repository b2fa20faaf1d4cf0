/** Time to start an engine, to read a small model from any disk, and to write its cache. */
const baseSeconds = 600;
/** Bytes that a slow disk reads in a second. USB 2 carries more than 30 MB/s, and hard disks read more than 100 MB/s. */
const slowBytesPerSecond = 20_000_000;

/**
 * Milliseconds after which a load fails. The limit grows with the files, so that the largest models load from slow disks.
 *
 * @param sizeBytes Size of all files that the engine reads.
 */
export function loadTimeoutMs(sizeBytes: number): number {
  return (baseSeconds + Math.ceil(sizeBytes / slowBytesPerSecond)) * 1000;
}
