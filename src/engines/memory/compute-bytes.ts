import type { ModelEntry } from '../../library/model.ts';
import type { Purpose } from '../loads/purpose.ts';
import { cacheCells, windowCells, type MemoryDemand } from './cache-cells.ts';

const floatBytes = 4;
const halfBytes = 2;

type Dimensions = NonNullable<ModelEntry['dimensions']>;

/**
 * Bytes of llama.cpp's compute buffer for a batch. All layers use the same buffer, so the widest step of a layer
 * determines its size. The factors were measured with llama.cpp's allocator.
 *
 * @param batch Tokens in a batch.
 */
export function graphBytes(
  model: ModelEntry,
  purpose: Purpose,
  demand: MemoryDemand,
  batch: number,
): number {
  const { attention, dimensions } = model;
  if (dimensions === null) return 0;
  const usesFlashAttention = demand.hasFlashAttention ?? true;
  // An encoder has no cache: each token attends to the other tokens of its batch.
  const lookedAt = attention === null ? batch : cacheCells(demand) * (demand.sharedContexts ?? 1);
  const widest = Math.max(
    feedForwardFloats(dimensions),
    usesFlashAttention ? 0 : plainAttentionFloats(dimensions, lookedAt),
    // An encoder's graph has no logits. A language model that embeds has logits for every token.
    purpose !== 'generation' && attention !== null
      ? 5 * dimensions.embedding + dimensions.vocabulary
      : 0,
  );
  const window = attention?.window?.tokens;
  const maskCells = lookedAt + (window === undefined ? 0 : windowCells(window, demand, batch));
  const maskBytes = maskCells * (usesFlashAttention ? halfBytes : floatBytes);
  return batch * (widest * floatBytes + maskBytes);
}

function feedForwardFloats({ embedding, feedForward, isGated, experts }: Dimensions): number {
  const dense = 5 * embedding + (isGated ? 3 : 1) * feedForward;
  if (experts === null) return dense;
  const { used, feedForward: ofExpert } = experts;
  const inside = 5 * embedding + used * 3 * ofExpert;
  const joining = 3 * embedding + used * (2 * embedding + ofExpert);
  return Math.max(dense, inside, joining);
}

/** Without flash attention, there is one score per head and attended token. */
function plainAttentionFloats(
  { embedding, heads, query, keyValue }: Dimensions,
  lookedAt: number,
): number {
  return 4 * embedding + 2 * query + 2 * keyValue + heads * lookedAt;
}

/**
 * Bytes of the output buffer: one logit per entry of the vocabulary, and an embedding, for each output token.
 * Normally, only each slot's last token has outputs. An embedding model computes them for every token of a batch,
 * although the logits are not used.
 */
export function outputBytes({ dimensions }: ModelEntry, outputTokens: number): number {
  if (dimensions === null) return 0;
  return outputTokens * (dimensions.vocabulary + dimensions.embedding) * floatBytes;
}

/** Bytes of the buffers for an image with the size for which the vision tower was trained. */
export function projectorComputeBytes(projector: ModelEntry['projector']): number {
  if (projector === null) return 0;
  const { patches, patchSize, embedding, feedForward } = projector;
  const pixels = 3 * patchSize ** 2;
  // The last term is a half-precision copy of the widest step's input.
  return patches * ((feedForward + 4 * embedding + pixels) * floatBytes + feedForward * halfBytes);
}
