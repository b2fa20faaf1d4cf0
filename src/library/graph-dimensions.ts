import type { GgufMetadata } from './gguf/metadata.ts';
import { headerCount, maxCount, type ReadHeader } from './header-count.ts';
import type { ModelEntry } from './model.ts';

/** Architectures whose feed-forward layers have no gate (llama.cpp, `LLM_FFN_SEQ`). */
const ungated = new Set([
  'bert',
  'bloom',
  'falcon',
  'gpt2',
  'gptneox',
  'jina-bert-v3',
  'mpt',
  'nemotron',
  'phi2',
  'starcoder',
  'starcoder2',
]);

/** Extracts the sizes that determine the engine's buffers from a header; 0 for missing ones. */
export function graphDimensions(
  architecture: string,
  { values, arrayLengths }: GgufMetadata,
): ModelEntry['dimensions'] {
  const read: ReadHeader = (name) => values.get(`${architecture}.${name}`);
  const embedding = maxCount(read('embedding_length'));
  const heads = maxCount(read('attention.head_count'));
  const headLength =
    headerCount(read('attention.key_length')) ?? (heads > 0 ? embedding / heads : 0);
  const cachedHeads = maxCount(read('attention.head_count_kv')) || heads;
  const tokens = arrayLengths.get('tokenizer.ggml.tokens') ?? 0;
  const feedForward = maxCount(read('feed_forward_length'));
  const usedExperts = maxCount(read('expert_used_count'));
  const predictingLayers = maxCount(read('nextn_predict_layers'));
  return {
    embedding,
    feedForward,
    isGated: !ungated.has(architecture),
    heads,
    query: heads * headLength,
    keyValue: cachedHeads * headLength,
    experts:
      usedExperts === 0
        ? null
        : {
            used: usedExperts,
            feedForward: maxCount(read('expert_feed_forward_length')) || feedForward,
          },
    vocabulary: tokens || maxCount(read('vocab_size')),
    merges: arrayLengths.get('tokenizer.ggml.merges') ?? 0,
    ...(predictingLayers > 0 && { predictingLayers }),
  };
}
