import { describe, expect, it } from 'vitest';
import { mlxAttention } from './mlx-attention.ts';

const llama = {
  num_hidden_layers: 32,
  hidden_size: 4096,
  num_attention_heads: 32,
  num_key_value_heads: 8,
};

describe('mlxAttention', () => {
  it('counts the keys and values of all layers at 16 bits', () => {
    expect(mlxAttention(llama)).toEqual({
      layerCount: 32,
      keyBytesPerToken: 32 * 8 * 128 * 2,
      valueBytesPerToken: 32 * 8 * 128 * 2,
      window: null,
      recurrentBytesPerSlot: 0,
    });
    expect(mlxAttention({ ...llama, head_dim: 64 })).toMatchObject({
      keyBytesPerToken: 32 * 8 * 64 * 2,
    });
  });

  it('counts layers with a window apart, and recurrent ones not', () => {
    const kinds = ['sliding_attention', 'full_attention', 'linear_attention', 'sliding_attention'];
    const config = { ...llama, num_hidden_layers: 4, layer_types: kinds, sliding_window: 1024 };
    expect(mlxAttention(config)).toMatchObject({
      keyBytesPerToken: 8 * 128 * 2,
      window: { tokens: 1024, keyBytesPerToken: 2 * 8 * 128 * 2 },
    });
    expect(mlxAttention({ ...config, sliding_window: null })).toMatchObject({
      keyBytesPerToken: 3 * 8 * 128 * 2,
      window: null,
    });
  });

  it('counts one vector for all heads of latent attention', () => {
    const latent = { ...llama, kv_lora_rank: 512, qk_rope_head_dim: 64 };
    expect(mlxAttention(latent)).toMatchObject({
      keyBytesPerToken: 32 * 576 * 2,
      valueBytesPerToken: 0,
    });
  });

  it.each([
    ['no layers', { ...llama, num_hidden_layers: null }],
    ['no heads', { ...llama, num_attention_heads: undefined }],
    ['absurdly many layers', { ...llama, num_hidden_layers: 1_000_000 }],
  ])('knows nothing of %s', (_, config) => {
    expect(mlxAttention(config)).toBeNull();
  });
});
