import { describe, expect, test } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { attentionCache } from '../../library/attention-cache.ts';
import type { GgufValue } from '../../library/gguf/metadata.ts';
import { graphDimensions } from '../../library/graph-dimensions.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import { estimateMemory, withDraft } from './estimate.ts';
import type { MemoryDemand } from './cache-cells.ts';

const mebibyte = 1024 * 1024;
const weightsBytes = 1_000_000;

/** A model with a header of these dimensions, and a vocabulary of this many words. */
function selectionOf(
  architecture: string,
  fields: Record<string, GgufValue>,
  words: number,
  changes: Partial<ModelEntry> = {},
): ModelSelection {
  const values = new Map(
    Object.entries(fields).map(([name, value]) => [`${architecture}.${name}`, value]),
  );
  const metadata = {
    values,
    arrayLengths: new Map([['tokenizer.ggml.tokens', words]]),
    longestItems: new Map<string, number>(),
    floats: new Set<string>(),
  };
  const model = modelEntry({
    attention: attentionCache(architecture, metadata),
    dimensions: graphDimensions(architecture, metadata),
    ...changes,
  });
  const variant = {
    id: 'q8_0',
    quantization: null,
    path: '/models/test/model/model.gguf',
    files: ['/models/test/model/model.gguf'],
    sizeBytes: weightsBytes,
  };
  return { model, variant };
}

const llama8b = selectionOf(
  'llama',
  {
    block_count: 32,
    embedding_length: 4096,
    feed_forward_length: 14_336,
    'attention.head_count': 32,
    'attention.head_count_kv': 8,
  },
  128_256,
);
const qwen7b = selectionOf(
  'qwen2',
  {
    block_count: 28,
    embedding_length: 3584,
    feed_forward_length: 18_944,
    'attention.head_count': 28,
    'attention.head_count_kv': 4,
  },
  152_064,
);
const gemma4b = selectionOf(
  'gemma3',
  {
    block_count: 6,
    embedding_length: 2560,
    feed_forward_length: 10_240,
    'attention.head_count': 8,
    'attention.head_count_kv': 4,
    'attention.key_length': 256,
    'attention.value_length': 256,
    'attention.sliding_window': 1024,
  },
  262_144,
);

function estimate(selection: ModelSelection, demand: Partial<MemoryDemand> = {}) {
  return estimateMemory(selection, {
    contextLength: 8192,
    parallel: 1,
    kvCacheTypes: { k: 'f16', v: 'f16' },
    ...demand,
  });
}

/** Estimate of the compute buffer without the output, for which llama.cpp has a separate buffer. */
function graphMebibytes(selection: ModelSelection, demand: Partial<MemoryDemand> = {}): number {
  const { computeBytes } = estimate(selection, demand);
  const { vocabulary = 0, embedding = 0 } = selection.model.dimensions ?? {};
  return (computeBytes - (demand.parallel ?? 1) * (vocabulary + embedding) * 4) / mebibyte;
}

describe('the KV cache', () => {
  test('includes keys and values of every layer, for every token of every slot', () => {
    expect(estimate(llama8b).kvCacheBytes).toBe(1024 * mebibyte);
    expect(estimate(llama8b, { parallel: 4 }).kvCacheBytes).toBe(4096 * mebibyte);
    expect(estimate(qwen7b).kvCacheBytes).toBe(448 * mebibyte);
  });

  test('has as many contexts as the slots share', () => {
    const shared = { parallel: 4, sharedContexts: 2 };
    expect(estimate(llama8b, shared).kvCacheBytes).toBe(2048 * mebibyte);
    expect(estimate(llama8b, shared).processBytes).toBeLessThan(
      estimate(llama8b, { parallel: 4 }).processBytes,
    );
    // The attention mask of a batch covers all cells of the cache.
    expect(graphMebibytes(llama8b, shared) - graphMebibytes(llama8b, { parallel: 4 })).toBe(4);
  });

  test('scales with its types', () => {
    const quantized = { kvCacheTypes: { k: 'q8_0', v: 'q4_0' } };
    expect(estimate(llama8b, quantized).kvCacheBytes).toBe(512 * mebibyte * ((8.5 + 4.5) / 16));
  });

  test('counts a type that is not known as f16, and nothing without attention', () => {
    const unknown = { kvCacheTypes: { k: 'q99_9', v: 'f16' } };
    expect(estimate(llama8b, unknown).kvCacheBytes).toBe(1024 * mebibyte);
    const { model } = llama8b;
    const stateless = { ...llama8b, model: { ...model, attention: null } };
    expect(estimate(stateless).kvCacheBytes).toBe(0);
  });

  test('grows in steps of 256 tokens', () => {
    expect(estimate(llama8b, { contextLength: 300 }).kvCacheBytes).toBe(64 * mebibyte);
  });

  test('is limited to the window and a batch in layers with a sliding window', () => {
    // llama.cpp reports 32 MiB for the layer with full attention and 25 MiB for the five others.
    expect(estimate(gemma4b).kvCacheBytes).toBe((32 + 25) * mebibyte);
    expect(estimate(gemma4b, { contextLength: 512 }).kvCacheBytes).toBe(6 * 2 * mebibyte);
  });

  test('of recurrent layers does not grow with the context', () => {
    const hybrid = selectionOf(
      'qwen3next',
      {
        block_count: 4,
        embedding_length: 2048,
        'attention.head_count': 16,
        'attention.head_count_kv': 2,
        'attention.key_length': 256,
        'attention.value_length': 256,
        'ssm.state_size': 128,
        'ssm.inner_size': 4096,
        'ssm.group_count': 16,
        'ssm.conv_kernel': 4,
      },
      1000,
    );
    const state = 3 * 4 * (128 * 4096 + 3 * (4096 + 2 * 16 * 128));
    const ofToken = 2 * 2 * 256 * 2;
    expect(estimate(hybrid).kvCacheBytes).toBe(8192 * ofToken + state);
    expect(estimate(hybrid, { contextLength: 256, parallel: 2 }).kvCacheBytes).toBe(
      2 * (256 * ofToken + state),
    );
  });
});

describe('the compute buffer', () => {
  // Reported by llama.cpp b11549 for models of these dimensions ("compute buffer size").
  test.each<[string, ModelSelection, Partial<MemoryDemand>, number]>([
    ['Llama 3 8B', llama8b, { evalBatchSize: 512 }, 132.02],
    ['Llama 3 8B in small batches', llama8b, { contextLength: 2048, evalBatchSize: 256 }, 63.01],
    ['Llama 3 8B without flash attention', llama8b, without(512), 580.01],
    ['Qwen 2.5 7B', qwen7b, { contextLength: 2048, parallel: 4 }, 74.01],
    ['Gemma 3 4B', gemma4b, {}, 47.14],
  ])('of %s', (_name, selection, demand, mebibytes) => {
    expect(graphMebibytes(selection, demand)).toBeCloseTo(mebibytes, 0);
  });

  test.each([
    [{ expert_used_count: 8, expert_feed_forward_length: 768 }, 45.01],
    [{ expert_used_count: 2, expert_feed_forward_length: 1536 }, 20.01],
  ])('of a mixture of experts', (experts, mebibytes) => {
    const mixture = selectionOf(
      'qwen3moe',
      {
        block_count: 2,
        embedding_length: 2048,
        'attention.head_count': 32,
        'attention.head_count_kv': 4,
        'attention.key_length': 128,
        ...experts,
      },
      32_000,
    );
    expect(graphMebibytes(mixture, { contextLength: 2048 })).toBeCloseTo(mebibytes, 0);
  });

  test('includes the results of every token for an embedding model', () => {
    const fields = {
      block_count: 6,
      embedding_length: 384,
      feed_forward_length: 1536,
      'attention.head_count': 12,
    };
    const encoder = selectionOf('bert', fields, 30_522, { type: 'embeddings', attention: null });
    const graph = 7.27 * mebibyte;
    const results = 512 * (30_522 + 384) * 4;
    const { kvCacheBytes, computeBytes } = estimate(encoder, { contextLength: 512, parallel: 4 });
    expect(kvCacheBytes).toBe(0);
    expect(computeBytes / (graph + results)).toBeCloseTo(1, 2);
  });
});

test('includes the results for a language model used for embeddings', () => {
  const fields = {
    block_count: 2,
    embedding_length: 1024,
    feed_forward_length: 3072,
    'attention.head_count': 16,
    'attention.head_count_kv': 8,
  };
  const vectors = selectionOf('qwen2', fields, 151_669, { type: 'embeddings' });
  const { computeBytes } = estimate(vectors, { contextLength: 1024 });
  const results = 1024 * (151_669 + 1024) * 4;
  // llama.cpp reports 614.5 MiB for the compute buffer.
  expect((computeBytes - results) / mebibyte).toBeCloseTo(614.5, 0);
});

test('sums up its parts, with the projector separate from the weights', () => {
  const projector = {
    sizeBytes: 300_000,
    seesImages: true,
    hearsAudio: false,
    patches: 576,
    patchSize: 14,
    embedding: 1024,
    feedForward: 4096,
  };
  const { model, variant } = llama8b;
  const parts = estimate({ model: { ...model, projector }, variant });
  const { totalBytes, computeBytes, ...others } = parts;
  expect(others).toMatchObject({ weightsBytes: 700_000, projectorBytes: 300_000 });
  // llama.cpp reports 19.32 MiB for the buffer of such a tower.
  const towerBytes = computeBytes - estimate(llama8b).computeBytes;
  expect(towerBytes / mebibyte).toBeCloseTo(23.8, 1);
  const sum = Object.values(others).reduce((bytes, part) => bytes + part, computeBytes);
  expect(totalBytes).toBe(sum);
});

test('counts the larger batches of a model that reads images', () => {
  const { model, variant } = llama8b;
  const vision = { model: { ...model, projectorPath: '/models/mmproj.gguf' }, variant };
  expect(graphMebibytes(vision)).toBeGreaterThan(graphMebibytes(llama8b));
});

test('adds the memory of a draft model, which runs in the same process', () => {
  const [model, draft] = [estimate(llama8b), estimate(qwen7b)];
  expect(withDraft(model, draft)).toEqual({
    ...model,
    weightsBytes: model.weightsBytes + draft.weightsBytes,
    kvCacheBytes: model.kvCacheBytes + draft.kvCacheBytes,
    computeBytes: model.computeBytes + draft.computeBytes,
    totalBytes: model.totalBytes + draft.totalBytes - draft.processBytes,
  });
});

test('an empty header leaves the weights and the process', () => {
  const model = modelEntry();
  expect(estimate({ ...llama8b, model })).toMatchObject({
    weightsBytes,
    kvCacheBytes: 0,
    computeBytes: 0,
  });
});

test('a forged header results in finite integers, too large for any machine', () => {
  const most = 2 ** 31 - 1;
  const liar = selectionOf(
    'llama',
    {
      block_count: 4096,
      embedding_length: most,
      feed_forward_length: most,
      'attention.head_count': 7,
      'attention.head_count_kv': most,
      expert_used_count: most,
    },
    most,
  );
  const { totalBytes } = estimate(liar, { contextLength: most, parallel: 256 });
  expect(Number.isSafeInteger(totalBytes)).toBe(true);
  expect(totalBytes).toBeGreaterThan(2 ** 49);
});

function without(evalBatchSize: number): Partial<MemoryDemand> {
  return { evalBatchSize, hasFlashAttention: false };
}
