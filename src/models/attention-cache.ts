import type { GgufMetadata } from './gguf/metadata.ts';
import type { ModelEntry } from './model.ts';

const bytesPerValue = 2;
const maxLayers = 4096;

/**
 * One layer in this many looks at the whole context, the others at a window; for architectures whose
 * headers leave it out (llama.cpp, `set_swa_pattern` of each model).
 */
const slidingWindowPatterns: Readonly<Record<string, number>> = {
  cohere2: 4,
  exaone4: 4,
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  'gpt-oss': 2,
  olmo2: 4,
};
/** llama.cpp's own default for architectures that mix recurrent layers with attention. */
const defaultAttentionInterval = 4;
const intervalArchitectures = new Set(['qwen3next', 'qwen35', 'qwen35moe']);

/**
 * Size of the KV cache for each token of context, at f16, summed over the layers whose cache grows with
 * the context: a layer with a sliding window, a recurrent one and one that shares another's cache count
 * nothing. null where the header does not say.
 */
export function attentionCache(
  architecture: string,
  { values }: GgufMetadata,
): ModelEntry['attention'] {
  const read = (name: string) => values.get(`${architecture}.${name}`);
  const layerCount = count(read('block_count'));
  const headCounts = read('attention.head_count');
  const heads = Array.isArray(headCounts) ? Math.max(...headCounts) : count(headCounts);
  if (layerCount === null || heads === null || layerCount > maxLayers) return null;

  const embedding = count(read('embedding_length')) ?? 0;
  const headLength = heads > 0 ? embedding / heads : 0;
  const keyLength = count(read('attention.key_length')) ?? headLength;
  // With multi-head latent attention the values are a part of the cached keys.
  const valueLength = values.has(`${architecture}.attention.key_length_mla`)
    ? 0
    : (count(read('attention.value_length')) ?? headLength);
  const cachedHeads = read('attention.head_count_kv') ?? headCounts;
  let headSum = 0;
  for (let layer = 0; layer < layerCount; layer += 1)
    if (growsWithContext(architecture, layer, layerCount, read))
      headSum += count(Array.isArray(cachedHeads) ? cachedHeads[layer] : cachedHeads) ?? 0;
  return {
    layerCount,
    keyBytesPerToken: headSum * keyLength * bytesPerValue,
    valueBytesPerToken: headSum * valueLength * bytesPerValue,
  };
}

function growsWithContext(
  architecture: string,
  layer: number,
  layerCount: number,
  read: (name: string) => unknown,
): boolean {
  if (layer >= layerCount - (count(read('attention.shared_kv_layers')) ?? 0)) return false;
  const interval =
    count(read('full_attention_interval')) ??
    (intervalArchitectures.has(architecture) ? defaultAttentionInterval : 1);
  if (interval > 1 && (layer + 1) % interval !== 0) return false;
  if ((count(read('attention.sliding_window')) ?? 0) === 0) return true;
  const pattern = read('attention.sliding_window_pattern') ?? slidingWindowPatterns[architecture];
  if (Array.isArray(pattern)) return pattern[layer] !== 1;
  const period = count(pattern);
  return period === null || (period > 0 && (layer + 1) % period === 0);
}

/** A whole number that fits a signed 32-bit integer, as the engine reads them. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
    ? value
    : null;
}
