import { expect, test } from 'vitest';
import { attentionCache } from './attention-cache.ts';
import type { GgufValue } from './gguf/metadata.ts';

function cacheOf(architecture: string, fields: Record<string, GgufValue>) {
  const values = new Map(
    Object.entries(fields).map(([name, value]) => [`${architecture}.${name}`, value]),
  );
  return attentionCache(architecture, {
    values,
    arrayLengths: new Map(),
    longestItems: new Map(),
    floats: new Set(),
  });
}

const plain = {
  block_count: 30,
  embedding_length: 576,
  'attention.head_count': 9,
  'attention.head_count_kv': 3,
};

test('grouped heads: layers x cached heads x head length x two bytes', () => {
  const bytes = 30 * 3 * 64 * 2;
  expect(cacheOf('llama', plain)).toEqual({
    layerCount: 30,
    keyBytesPerToken: bytes,
    valueBytesPerToken: bytes,
    window: null,
    recurrentBytesPerSlot: 0,
  });
});

test('the header may give the lengths of keys and values itself', () => {
  const cache = cacheOf('llama', {
    ...plain,
    'attention.key_length': 128,
    'attention.value_length': 96,
  });
  expect(cache).toMatchObject({
    keyBytesPerToken: 30 * 3 * 128 * 2,
    valueBytesPerToken: 30 * 3 * 96 * 2,
  });
});

test('cached heads may differ from layer to layer, none in recurrent ones', () => {
  const cache = cacheOf('lfm2', {
    ...plain,
    block_count: 4,
    'attention.head_count_kv': [0, 8, 0, 4],
  });
  expect(cache?.keyBytesPerToken).toBe((8 + 4) * 64 * 2);
});

test.each<[string, string, Record<string, GgufValue>, number]>([
  ['a window in five of six layers', 'gemma3', { 'attention.sliding_window': 512 }, 5],
  [
    'a window in layers that are marked',
    'gemma4',
    {
      block_count: 3,
      'attention.sliding_window': 512,
      'attention.sliding_window_pattern': [1, 1, 0],
    },
    1,
  ],
  ['a window that no layer is known to use', 'llama', { 'attention.sliding_window': 512 }, 30],
  ['attention in every third layer', 'qwen3next', { full_attention_interval: 3 }, 10],
  ['attention in every fourth layer by default', 'qwen35', {}, 7],
  ['layers that share a cache', 'gemma3n', { 'attention.shared_kv_layers': 10 }, 20],
])('%s', (_name, architecture, fields, layers) => {
  expect(cacheOf(architecture, { ...plain, ...fields })?.keyBytesPerToken).toBe(
    layers * 3 * 64 * 2,
  );
});

test('layers with a window are counted apart', () => {
  const cache = cacheOf('gemma3', { ...plain, 'attention.sliding_window': 512 });
  const bytes = 25 * 3 * 64 * 2;
  expect(cache?.window).toEqual({
    tokens: 512,
    keyBytesPerToken: bytes,
    valueBytesPerToken: bytes,
  });
});

test.each<[string, string, Record<string, GgufValue>, number]>([
  ['layers without attention', 'jamba', { 'attention.head_count_kv': [0, 0, 3, 0] }, 3],
  ['layers between those with attention', 'qwen3next', { full_attention_interval: 2 }, 2],
  ['every layer, where all have both', 'falcon-h1', {}, 4],
])('a recurrent state in %s', (_name, architecture, fields, layers) => {
  const state = { 'ssm.state_size': 16, 'ssm.inner_size': 100, 'ssm.conv_kernel': 4 };
  const cache = cacheOf(architecture, { ...plain, block_count: 4, ...state, ...fields });
  expect(cache?.recurrentBytesPerSlot).toBe(layers * 4 * (16 * 100 + 3 * 100));
});

test('a short convolution keeps its last tokens', () => {
  const fields = { 'attention.head_count_kv': [0, 3], 'shortconv.l_cache': 3, block_count: 2 };
  expect(cacheOf('lfm2', { ...plain, ...fields })?.recurrentBytesPerSlot).toBe(2 * 576 * 4);
});

test('latent attention keeps no values of their own', () => {
  const cache = cacheOf('deepseek2', {
    ...plain,
    'attention.head_count_kv': 1,
    'attention.key_length': 576,
    'attention.key_length_mla': 192,
  });
  expect(cache).toMatchObject({ keyBytesPerToken: 30 * 576 * 2, valueBytesPerToken: 0 });
});

test('a header that does not say, or says nonsense, gives nothing', () => {
  expect(cacheOf('llama', { block_count: 30 })).toBeNull();
  expect(cacheOf('llama', { ...plain, block_count: 2 ** 31 - 1 })).toBeNull();
  expect(cacheOf('llama', { ...plain, block_count: 0.5 })).toBeNull();
});
