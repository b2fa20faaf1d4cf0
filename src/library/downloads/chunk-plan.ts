const mebibyte = 1024 * 1024;
/** Large enough for a low number of requests, small enough that a lost chunk costs little. */
const smallestChunkBytes = 16 * mebibyte;
const maxChunkCount = 1024;

/** A part of a file that is fetched, checked and retried on its own; `end` is exclusive. */
export interface ChunkRange {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** The chunk size for a file: 16 MiB, or larger to stay within 1,024 chunks. */
export function chooseChunkBytes(fileBytes: number): number {
  const needed = Math.ceil(fileBytes / maxChunkCount / mebibyte) * mebibyte;
  return Math.max(smallestChunkBytes, needed);
}

/** Divides a file into chunks; an empty file has none. */
export function planChunks(fileBytes: number, chunkBytes: number): readonly ChunkRange[] {
  return Array.from({ length: Math.ceil(fileBytes / chunkBytes) }, (_, index) => ({
    index,
    start: index * chunkBytes,
    end: Math.min(fileBytes, (index + 1) * chunkBytes),
  }));
}

const maxBatchBytes = 1024 * 1024;

/**
 * Number of bytes that each connection buffers before writing and recording them. A kill loses less than one chunk
 * in total over all connections.
 */
export function chooseBatchBytes(chunkBytes: number, connectionCount: number): number {
  return Math.min(maxBatchBytes, Math.ceil(chunkBytes / connectionCount / 2));
}
