import type { ModelEntry } from '../../library/model.ts';
import { cacheCells, cacheCount, windowCells, type MemoryDemand } from './cache-cells.ts';

/**
 * Maximum size of the tokens in idle slots, as a share of the weights. In each step, the engine reads the weights and
 * passes over these tokens, so more of them would slow it down.
 */
const idleShare = 0.05;

interface BytesPerToken {
  readonly keyBytesPerToken: number;
  readonly valueBytesPerToken: number;
}

/** Bytes of the engine's KV cache and recurrent states, which the engine allocates at its start. */
export function cacheBytes({ attention }: ModelEntry, demand: MemoryDemand, batch: number): number {
  if (attention === null) return 0;
  const { parallel, kvCacheTypes } = demand;
  const bytesPerCell = (layers: BytesPerToken): number => bytesPerToken(layers, kvCacheTypes);
  const whole = bytesPerCell(attention) * cacheCells(demand);
  const window =
    attention.window === null
      ? 0
      : bytesPerCell(attention.window) * windowCells(attention.window.tokens, demand, batch);
  return whole * cacheCount(demand) + (window + attention.recurrentBytesPerSlot) * parallel;
}

/** Tokens in idle slots that slow an engine on the CPU by a few percent; undefined if their size is unknown. */
export function maxIdleTokens(
  { attention }: ModelEntry,
  weightBytes: number,
  kvCacheTypes: MemoryDemand['kvCacheTypes'],
): number | undefined {
  if (attention === null) return undefined;
  return Math.floor((weightBytes * idleShare) / bytesPerToken(attention, kvCacheTypes));
}

function bytesPerToken(
  { keyBytesPerToken, valueBytesPerToken }: BytesPerToken,
  { k, v }: MemoryDemand['kvCacheTypes'],
): number {
  return keyBytesPerToken * sizeAgainstF16(k) + valueBytesPerToken * sizeAgainstF16(v);
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
