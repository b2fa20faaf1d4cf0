import type { ModelEntry } from '../../library/model.ts';
import type { Purpose } from '../loads/purpose.ts';
import { cacheCells, cacheCount, type MemoryDemand } from './cache-cells.ts';

const mebibyte = 1024 * 1024;

/**
 * Memory of a process without its model: program, libraries and, for generation, the parser of chat templates.
 * Measured with the wheel and the smallest model, and includes about 13 MiB for Python.
 */
const baseBytes: Readonly<Record<Purpose, number>> = {
  generation: 37 * mebibyte,
  embedding: 34 * mebibyte,
  reranking: 34 * mebibyte,
};
/** Threads and sampler for one slot. */
const bytesPerSlot = 0.75 * mebibyte;
/** One entry or merge of the vocabulary, with its share of the lookup tables. */
const bytesPerVocabularyEntry = 210;
/** Metadata of a token in the cache: position and sequence. */
const bytesPerCell = 128;

/**
 * Bytes of a process beside its buffers, on each GPU with memory of its own and in main memory: the driver's context,
 * its libraries and their work areas. Measured with CUDA 13 on an H100; assumed for other GPUs.
 */
export const gpuProcess = { gpuBytes: 576 * mebibyte, hostBytes: 384 * mebibyte };

/** Bytes of an engine process without the tensors of its model. */
export function processBytes(
  { attention, dimensions }: ModelEntry,
  purpose: Purpose,
  demand: MemoryDemand,
): number {
  const entries = (dimensions?.vocabulary ?? 0) + (dimensions?.merges ?? 0);
  const cellBytes = attention === null ? 0 : cacheCells(demand) * bytesPerCell;
  return (
    baseBytes[purpose] +
    entries * bytesPerVocabularyEntry +
    bytesPerSlot * demand.parallel +
    cellBytes * cacheCount(demand)
  );
}
