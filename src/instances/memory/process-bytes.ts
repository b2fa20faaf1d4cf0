import type { ModelEntry } from '../../models/model.ts';
import type { Purpose } from '../purpose.ts';
import { cacheCells } from './cache-cells.ts';
import type { MemoryDemand } from './memory-demand.ts';

const mebibyte = 1024 * 1024;

/**
 * What a process with the tiniest model takes besides it: program, libraries and, for generation, what reads
 * chat templates. Measured with the wheel, whose Python is about 13 MiB of it, as it runs everywhere.
 */
const baseBytes: Readonly<Record<Purpose, number>> = {
  generation: 37 * mebibyte,
  embedding: 34 * mebibyte,
};
/** Threads and sampler of a slot. */
const bytesPerSlot = 0.75 * mebibyte;
/** What is known of a word, or of a pair that makes one, with the tables that find it. */
const bytesPerVocabularyEntry = 210;
/** What is known of a token in the cache: its place, whose it is. */
const bytesPerCell = 128;

/** Bytes of an engine process besides its model's numbers. */
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
    (bytesPerSlot + cellBytes) * demand.parallel
  );
}
