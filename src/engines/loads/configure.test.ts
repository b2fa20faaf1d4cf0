import { describe, expect, it } from 'vitest';
import {
  modelEntry,
  modelSelection,
  smallDimensions,
} from '../../../test/setup/models/model-entry.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import { assertDraft, configure, contextLengthFor } from './configure.ts';
import type { InstanceConfig } from './load-options.ts';

const defaults = { contextLength: 2048, parallel: 4 };

const memory = {
  fits: () => true,
  sharesCache: false,
  chooseContextLength: () => 4096,
  chooseCacheContexts: () => 3,
};
/** The error that `check` throws, with an API's names for the fields. */
function described(check: () => unknown) {
  try {
    return check();
  } catch (error) {
    const failure = error as HearthError;
    return [failure.code, failure.field, failure.describe((name) => `<${name}>`)];
  }
}

describe('contextLengthFor', () => {
  it.each([
    [1, 256],
    [256, 256],
    [257, 512],
    [3999, 4000],
    [4000, 4000],
    [9000, 4000],
  ])('makes %i tokens %i: steps of 256, up to what the model supports', (requested, actual) => {
    expect(contextLengthFor(modelEntry({ maxContextLength: 4000 }), requested)).toBe(actual);
  });

  it('is that of the remote server for a remote model', () => {
    const model = modelEntry({ maxContextLength: 4000, format: 'remote' });
    expect(contextLengthFor(model, 256)).toBe(4000);
  });
});

describe('configure', () => {
  it('completes a request with the defaults', () => {
    expect(configure(modelSelection(), {}, defaults, memory)).toEqual({
      contextLength: 2048,
      parallel: 4,
    });
    const requested = {
      contextLength: 300,
      parallel: 2,
      evalBatchSize: 64,
      hasFlashAttention: true,
    };
    expect(configure(modelSelection(), requested, defaults, memory)).toEqual({
      ...requested,
      contextLength: 512,
    });
  });

  it('rejects drafts by layers that a model does not have', () => {
    const speculating = { speculation: 'mtp' } as const;
    expect(described(() => configure(modelSelection(), speculating, defaults, memory))).toEqual([
      'invalid_value',
      'speculation',
      '<speculation> cannot be mtp: test/model has no layers that predict further tokens.',
    ]);
    const predicting = modelSelection({ dimensions: { ...smallDimensions, predictingLayers: 1 } });
    expect(configure(predicting, speculating, defaults, memory)).toMatchObject(speculating);
  });

  it('rejects a context that the model does not support', () => {
    expect(configure(modelSelection(), { contextLength: 4096 }, defaults, memory)).toMatchObject({
      contextLength: 4096,
    });
    expect(
      described(() => configure(modelSelection(), { contextLength: 4097 }, defaults, memory)),
    ).toEqual([
      'invalid_value',
      'contextLength',
      '<contextLength> 4097 is more than test/model supports: at most 4096.',
    ]);
  });

  it('rejects a batch size for an embedding model only', () => {
    const embeddings = modelSelection({ type: 'embeddings' });
    expect(configure(embeddings, {}, defaults, memory)).toMatchObject({ parallel: 4 });
    expect(described(() => configure(embeddings, { evalBatchSize: 64 }, defaults, memory))).toEqual(
      [
        'invalid_value',
        'evalBatchSize',
        'test/model is an embedding model, which reads its whole context at once; leave <evalBatchSize> out.',
      ],
    );
  });

  it('leaves the sizes to the memory that neither the load nor the settings name', () => {
    const shared = { ...memory, sharesCache: true };
    const { parallel } = defaults;
    const sizesOf = (requested: Partial<InstanceConfig>, settings: Partial<InstanceConfig> = {}) =>
      configure(modelSelection(), requested, { parallel, ...settings }, shared);
    expect(sizesOf({})).toEqual({
      contextLength: 4096,
      parallel: 4,
      cacheContexts: 3,
      chosenByMemory: ['contextLength', 'cacheContexts'],
    });
    expect(sizesOf({ contextLength: 512 })).toMatchObject({ contextLength: 512, cacheContexts: 3 });
    expect(sizesOf({}, { contextLength: 512, cacheContexts: 2 })).toEqual({
      contextLength: 512,
      parallel: 4,
      cacheContexts: 2,
    });
    expect(sizesOf({}, { cacheContexts: 9 })).toMatchObject({ cacheContexts: 4 });
    const again = sizesOf({ contextLength: 4096, parallel: 2, cacheContexts: 1 });
    expect(again).toEqual({ contextLength: 4096, parallel: 2, cacheContexts: 1 });
  });

  it('halves the default number of slots until the memory suffices, down to one', () => {
    const tried: InstanceConfig[] = [];
    const parallelFor = (most: number, parallel = 7) => {
      tried.length = 0;
      const config = configure(
        modelSelection(),
        { evalBatchSize: 64 },
        { ...defaults, parallel },
        {
          ...memory,
          fits: (candidate) => {
            tried.push(candidate);
            return candidate.parallel <= most;
          },
        },
      );
      return config.parallel;
    };
    expect(parallelFor(7)).toBe(7);
    expect(parallelFor(6)).toBe(3);
    expect(tried).toEqual(
      [7, 3].map((parallel) => ({ evalBatchSize: 64, contextLength: 2048, parallel })),
    );
    expect(parallelFor(0)).toBe(1);
    expect(tried.map(({ parallel }) => parallel)).toEqual([7, 3]);
  });

  it('keeps the number of slots that a request sets', () => {
    const never = { ...memory, fits: () => false };
    expect(configure(modelSelection(), { parallel: 4 }, defaults, never).parallel).toBe(4);
  });
});

describe('assertDraft', () => {
  const vocabularyOf = (vocabulary: number) => ({ dimensions: { ...smallDimensions, vocabulary } });
  const model = modelEntry({ key: 'test/large', ...vocabularyOf(32_000) });

  it('allows a model with nearly the same vocabulary, or an unknown one', () => {
    expect(() => assertDraft(model, modelEntry(vocabularyOf(32_128)))).not.toThrow();
    expect(() => assertDraft(model, modelEntry(vocabularyOf(31_872)))).not.toThrow();
    expect(() => assertDraft(model, modelEntry())).not.toThrow();
    expect(() => assertDraft(modelEntry(), model)).not.toThrow();
  });

  it.each([
    [
      'another vocabulary',
      modelEntry({ key: 'test/small', ...vocabularyOf(32_129) }),
      'test/small cannot draft tokens for test/large: its vocabulary has 32129 tokens, and test/large has 32000.',
    ],
    [
      'another format',
      modelEntry({ key: 'test/small', format: 'mlx', ...vocabularyOf(32_000) }),
      'test/small cannot draft tokens for test/large: both must be GGUF models that generate text.',
    ],
    [
      'no text to generate',
      modelEntry({ key: 'test/small', type: 'embeddings' }),
      'test/small cannot draft tokens for test/large: both must be GGUF models that generate text.',
    ],
  ])('refuses a model with %s', (_, draft, message) => {
    expect(described(() => assertDraft(model, draft))).toEqual([
      'invalid_value',
      'draftModel',
      message,
    ]);
  });

  it('refuses any model for one of another format', () => {
    const mlx = modelEntry({ key: 'test/large', format: 'mlx', ...vocabularyOf(32_000) });
    expect(() => assertDraft(mlx, model)).toThrow('both must be GGUF models');
  });
});
