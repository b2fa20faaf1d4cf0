import type { ModelEntry } from '../../models/model.ts';
import { cacheCells, cacheCount, windowCells } from './cache-cells.ts';
import type { MemoryDemand } from './memory-demand.ts';

interface BytesPerToken {
  readonly keyBytesPerToken: number;
  readonly valueBytesPerToken: number;
}

/** Bytes of the engine's KV cache and recurrent states. The engine allocates them at its start. */
export function cacheBytes({ attention }: ModelEntry, demand: MemoryDemand, batch: number): number {
  if (attention === null) return 0;
  const { parallel, kvCacheTypes } = demand;
  const bytesPerCell = ({ keyBytesPerToken, valueBytesPerToken }: BytesPerToken): number =>
    keyBytesPerToken * sizeAgainstF16(kvCacheTypes.k) +
    valueBytesPerToken * sizeAgainstF16(kvCacheTypes.v);
  const whole = bytesPerCell(attention) * cacheCells(demand);
  const window =
    attention.window === null
      ? 0
      : bytesPerCell(attention.window) * windowCells(attention.window.tokens, demand, batch);
  return whole * cacheCount(demand) + (window + attention.recurrentBytesPerSlot) * parallel;
}

/** Computed from the block sizes of ggml's types. */
const bitsPerValue: Readonly<Record<string, number>> = {
  f32: 32,
  f16: 16,
  bf16: 16,
  q8_0: 8.5,
  q5_1: 6,
  q5_0: 5.5,
  q4_1: 5,
  q4_0: 4.5,
  iq4_nl: 4.5,
};

function sizeAgainstF16(type: string): number {
  return (bitsPerValue[type] ?? 16) / 16;
}
