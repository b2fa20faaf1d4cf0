import * as z from 'zod';
import type { ModelEntry } from './model.ts';

const bytesPerValue = 2;
const maxLayers = 4096;

const count = z.int().positive().max(1_000_000).nullish().catch(null);

/** The fields of a `config.json` that determine the cache. */
export const mlxAttentionFields = {
  num_hidden_layers: count,
  hidden_size: count,
  num_attention_heads: count,
  num_key_value_heads: count,
  head_dim: count,
  kv_lora_rank: count,
  qk_rope_head_dim: count,
  sliding_window: count,
  layer_types: z.array(z.string().max(64)).max(maxLayers).nullish().catch(null),
};

type AttentionConfig = z.output<z.ZodObject<typeof mlxAttentionFields>>;

/**
 * Bytes of cache per token at 16 bits. Sums separately the layers that attend to the whole context and the layers that
 * attend to a window. The states of recurrent layers are not counted. null if the configuration has no data.
 */
export function mlxAttention(config: AttentionConfig): ModelEntry['attention'] {
  const layerCount = config.num_hidden_layers ?? 0;
  const heads = config.num_attention_heads ?? 0;
  if (layerCount === 0 || heads === 0 || layerCount > maxLayers) return null;
  const { key, value } = valuesPerLayer(config, heads);
  const kinds = config.layer_types ?? Array.from({ length: layerCount }, () => 'full_attention');
  const countOf = (kind: string): number => kinds.filter((each) => each === kind).length;
  const sizeOf = (layers: number) => ({
    keyBytesPerToken: layers * key * bytesPerValue,
    valueBytesPerToken: layers * value * bytesPerValue,
  });
  const windowLayers = countOf('sliding_attention');
  const tokens = config.sliding_window ?? 0;
  const hasWindow = windowLayers > 0 && tokens > 0;
  return {
    layerCount,
    ...sizeOf(countOf('full_attention') + (hasWindow ? 0 : windowLayers)),
    window: hasWindow ? { tokens, ...sizeOf(windowLayers) } : null,
    recurrentBytesPerSlot: 0,
  };
}

/** With multi-head latent attention, a layer caches one vector for all heads. */
function valuesPerLayer(
  config: AttentionConfig,
  heads: number,
): { readonly key: number; readonly value: number } {
  const { kv_lora_rank: rank } = config;
  if (rank != null) return { key: rank + (config.qk_rope_head_dim ?? 0), value: 0 };
  const headLength = config.head_dim ?? (config.hidden_size ?? 0) / heads;
  const values = (config.num_key_value_heads ?? heads) * headLength;
  return { key: values, value: values };
}
