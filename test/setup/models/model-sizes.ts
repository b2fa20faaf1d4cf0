import { attentionCache } from '../../../src/library/attention-cache.ts';
import type { GgufValue } from '../../../src/library/gguf/metadata.ts';
import { graphDimensions } from '../../../src/library/graph-dimensions.ts';
import type { ModelEntry, ModelSelection } from '../../../src/library/model.ts';
import { modelSelection } from './model-entry.ts';

interface ModelHeader {
  readonly layers: number;
  readonly embedding: number;
  readonly feedForward: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly words: number;
  readonly maxContextLength: number;
  readonly sizeBytes: number;
}

/** A language model of the Llama architecture with these dimensions, without a file. */
export function selectLlama(
  header: ModelHeader,
  changes: Partial<ModelEntry> = {},
): ModelSelection {
  const values = new Map<string, GgufValue>([
    ['llama.block_count', header.layers],
    ['llama.embedding_length', header.embedding],
    ['llama.feed_forward_length', header.feedForward],
    ['llama.attention.head_count', header.heads],
    ['llama.attention.head_count_kv', header.keyValueHeads],
  ]);
  const metadata = {
    values,
    arrayLengths: new Map([['tokenizer.ggml.tokens', header.words]]),
    longestItems: new Map<string, number>(),
    floats: new Set<string>(),
  };
  const { model, variant } = modelSelection({
    maxContextLength: header.maxContextLength,
    attention: attentionCache('llama', metadata),
    dimensions: graphDimensions('llama', metadata),
    ...changes,
  });
  return { model, variant: { ...variant, sizeBytes: header.sizeBytes } };
}

const gigabyte = 1e9;
const mebi = 1024;

/** Dimensions of SmolLM2-135M, Llama 3.2 1B, Llama 3.1 8B and 70B; the files in Q8_0 (135M) or Q4_K_M. */
export const llamas = {
  '135M': {
    layers: 30,
    embedding: 576,
    feedForward: 1536,
    heads: 9,
    keyValueHeads: 3,
    words: 49_152,
    maxContextLength: 8 * mebi,
    sizeBytes: 0.145 * gigabyte,
  },
  '1B': {
    layers: 16,
    embedding: 2048,
    feedForward: 8192,
    heads: 32,
    keyValueHeads: 8,
    words: 128_256,
    maxContextLength: 128 * mebi,
    sizeBytes: 0.81 * gigabyte,
  },
  '8B': {
    layers: 32,
    embedding: 4096,
    feedForward: 14_336,
    heads: 32,
    keyValueHeads: 8,
    words: 128_256,
    maxContextLength: 128 * mebi,
    sizeBytes: 4.92 * gigabyte,
  },
  '70B': {
    layers: 80,
    embedding: 8192,
    feedForward: 28_672,
    heads: 64,
    keyValueHeads: 8,
    words: 128_256,
    maxContextLength: 128 * mebi,
    sizeBytes: 42.5 * gigabyte,
  },
} as const satisfies Record<string, ModelHeader>;
