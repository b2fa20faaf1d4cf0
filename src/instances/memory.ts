import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { HearthError } from '../contract/errors.ts';
import type { ModelSelection } from '../models/model.ts';

/** Memory that any engine process takes besides weights and cache, in bytes (measured: 60 to 90 MiB). */
const processBytes = 80 * 1024 * 1024;

export interface MemoryDemand {
  readonly contextLength: number;
  readonly parallel: number;
  /** Size of a KV-cache value against f16, keys and values. */
  readonly keyScale: number;
  readonly valueScale: number;
}

/**
 * Bytes that a loaded model needs: its weights, the KV cache of every slot at full context, and the
 * process around them. Compute buffers are left out, so this is a lower bound.
 */
export function estimateMemoryBytes(
  { model, variant }: ModelSelection,
  demand: MemoryDemand,
): number {
  const cacheBytesPerToken =
    model.attention === null
      ? 0
      : model.attention.keyBytesPerToken * demand.keyScale +
        model.attention.valueBytesPerToken * demand.valueScale;
  const cachedTokens = demand.contextLength * demand.parallel;
  return Math.ceil(variant.sizeBytes + cacheBytesPerToken * cachedTokens + processBytes);
}

const bitsPerCacheValue: Readonly<Record<string, number>> = {
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

/** Size of one cached value of this type against f16 (block sizes of ggml's types). */
export function kvCacheScale(type: string): number {
  return (bitsPerCacheValue[type] ?? 16) / 16;
}

/**
 * Bytes that a new process may use now: what the operating system can give without swapping, or what is
 * left under the limit of the container.
 */
export function availableMemoryBytes(): number {
  const free = operatingSystemBytes();
  const limit = process.constrainedMemory();
  return limit > 0 && limit < free ? Math.min(free, process.availableMemory()) : free;
}

/** Linux counts reclaimable caches in `MemAvailable`; elsewhere what is free. */
function operatingSystemBytes(): number {
  if (process.platform !== 'linux') return freemem();
  const text = readFileSync('/proc/meminfo', 'utf8');
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? freemem() : Number(kibibytes) * 1024;
}

interface Reservation {
  readonly state: 'loading' | 'ready';
  readonly estimatedBytes: number;
}

/** Bytes that one more instance may need, beside those that are there, under the limit if one is set. */
export function usableMemoryBytes(
  instances: readonly Reservation[],
  availableBytes: number,
  limitBytes: number | undefined,
): number {
  const reserved = (...states: readonly Reservation['state'][]): number =>
    instances
      .filter(({ state }) => states.includes(state))
      .reduce((sum, { estimatedBytes }) => sum + estimatedBytes, 0);
  // What is available does not yet count the instances that are still loading.
  const freeBytes = availableBytes - reserved('loading');
  return limitBytes === undefined
    ? freeBytes
    : Math.min(freeBytes, limitBytes - reserved('loading', 'ready'));
}

/**
 * @throws HearthError `out_of_memory` with both numbers, where a model needs more than there is.
 */
export function assertFits(
  key: string,
  neededBytes: number,
  availableBytes: number,
  contextLength: number,
): void {
  if (neededBytes <= availableBytes) return;
  throw new HearthError(
    'out_of_memory',
    `${key} with a context of ${contextLength} tokens needs about ${mebibytes(neededBytes)} MiB, and ` +
      `${mebibytes(Math.max(0, availableBytes))} MiB can be used. Ask for a smaller context_length or unload another model.`,
  );
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
