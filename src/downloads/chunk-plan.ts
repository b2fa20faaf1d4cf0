const mebibyte = 1024 * 1024;
/** Large enough that asking for chunks costs little, small enough that a lost one does not hurt. */
const smallestChunkBytes = 16 * mebibyte;
const maxChunkCount = 1024;

/** A piece of a file that is fetched, checked and fetched again by itself; `end` is exclusive. */
export interface ChunkRange {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Bytes of a chunk of a file: 16 MiB, and more where that would be more than 1,024 chunks. */
export function chooseChunkBytes(fileBytes: number): number {
  const needed = Math.ceil(fileBytes / maxChunkCount / mebibyte) * mebibyte;
  return Math.max(smallestChunkBytes, needed);
}

/** Cuts a file; an empty one has no chunk. */
export function planChunks(fileBytes: number, chunkBytes: number): readonly ChunkRange[] {
  return Array.from({ length: Math.ceil(fileBytes / chunkBytes) }, (_, index) => ({
    index,
    start: index * chunkBytes,
    end: Math.min(fileBytes, (index + 1) * chunkBytes),
  }));
}

const maxBatchBytes = 1024 * 1024;

/**
 * Bytes that each connection holds before they are written and recorded: little enough that a kill loses less
 * than one chunk of all connections together.
 */
export function chooseBatchBytes(chunkBytes: number, connectionCount: number): number {
  return Math.min(maxBatchBytes, Math.ceil(chunkBytes / connectionCount / 2));
}
