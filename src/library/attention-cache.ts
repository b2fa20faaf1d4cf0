import type { GgufMetadata } from './gguf/metadata.ts';
import { headerCount, layerValue, type ReadHeader } from './header-count.ts';
import type { ModelEntry } from './model.ts';

const bytesPerValue = 2;
const maxLayers = 4096;

/**
 * Defaults for architectures whose headers lack the pattern: one layer in this many attends to the whole context, the
 * others to a window (llama.cpp, `set_swa_pattern` of each model).
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

type LayerCache = 'whole' | 'window' | 'recurrent' | 'none';

/**
 * Bytes of KV cache per token, at f16. Sums separately the layers that cache the whole context and the layers that
 * cache a window of it. Layers that share the cache of another layer are not counted. null if the header has no data.
 */
export function attentionCache(
  architecture: string,
  { values }: GgufMetadata,
): ModelEntry['attention'] {
  const read: ReadHeader = (name) => values.get(`${architecture}.${name}`);
  const layerCount = headerCount(read('block_count'));
  const headCounts = read('attention.head_count');
  const heads = Array.isArray(headCounts) ? Math.max(...headCounts) : headerCount(headCounts);
  if (layerCount === null || heads === null || layerCount > maxLayers) return null;

  const embedding = headerCount(read('embedding_length')) ?? 0;
  const headLength = heads > 0 ? embedding / heads : 0;
  const keyLength = headerCount(read('attention.key_length')) ?? headLength;
  // With multi-head latent attention, the values are part of the cached keys.
  const valueLength = values.has(`${architecture}.attention.key_length_mla`)
    ? 0
    : (headerCount(read('attention.value_length')) ?? headLength);
  const cachedHeads = read('attention.head_count_kv') ?? headCounts;
  const headSums = { whole: 0, window: 0, recurrent: 0, none: 0 };
  let recurrentLayers = 0;
  for (let layer = 0; layer < layerCount; layer += 1) {
    const layerHeads = headerCount(layerValue(cachedHeads, layer)) ?? 0;
    const kind = layerCache(architecture, layer, layerCount, read);
    headSums[kind] += layerHeads;
    if (kind === 'recurrent' || layerHeads === 0) recurrentLayers += 1;
  }
  const bytesPerToken = (headSum: number) => ({
    keyBytesPerToken: headSum * keyLength * bytesPerValue,
    valueBytesPerToken: headSum * valueLength * bytesPerValue,
  });
  return {
    layerCount,
    ...bytesPerToken(headSums.whole),
    window:
      headSums.window === 0
        ? null
        : {
            tokens: headerCount(read('attention.sliding_window')) ?? 0,
            ...bytesPerToken(headSums.window),
          },
    // In some architectures, every layer has both a KV cache and a recurrent state.
    recurrentBytesPerSlot: recurrentStateBytes(read) * (recurrentLayers || layerCount),
  };
}

function layerCache(
  architecture: string,
  layer: number,
  layerCount: number,
  read: ReadHeader,
): LayerCache {
  if (layer >= layerCount - (headerCount(read('attention.shared_kv_layers')) ?? 0)) return 'none';
  const interval =
    headerCount(read('full_attention_interval')) ??
    (intervalArchitectures.has(architecture) ? defaultAttentionInterval : 1);
  if (interval > 1 && (layer + 1) % interval !== 0) return 'recurrent';
  if ((headerCount(read('attention.sliding_window')) ?? 0) === 0) return 'whole';
  const pattern = read('attention.sliding_window_pattern') ?? slidingWindowPatterns[architecture];
  if (Array.isArray(pattern)) return pattern[layer] === 1 ? 'window' : 'whole';
  const period = headerCount(pattern);
  const isWhole = period === null || (period > 0 && (layer + 1) % period === 0);
  return isWhole ? 'whole' : 'window';
}

/**
 * Bytes of state of one recurrent layer for each sequence, in f32: the recurrent state and the convolution state
 * (llama.cpp, `n_embd_s` and `n_embd_r`). RWKV has no such keys and is not covered.
 */
function recurrentStateBytes(read: ReadHeader): number {
  const part = (name: string): number => headerCount(read(`ssm.${name}`)) ?? 0;
  const convolved = part('inner_size') + 2 * part('group_count') * part('state_size');
  const kept =
    part('state_size') * part('inner_size') + Math.max(0, part('conv_kernel') - 1) * convolved;
  const shortConvolution = Math.max(0, (headerCount(read('shortconv.l_cache')) ?? 0) - 1);
  return 4 * (kept + shortConvolution * (headerCount(read('embedding_length')) ?? 0));
}
