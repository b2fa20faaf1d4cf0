import { expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { ModelEntry } from '../../library/model.ts';
import { layerSizes } from './layer-sizes.ts';

const attention = {
  layerCount: 48,
  window: null,
  recurrentBytesPerSlot: 0,
  keyBytesPerToken: 1,
  valueBytesPerToken: 1,
};
/** Those of Qwen 3 30B-A3B. */
const dimensions: NonNullable<ModelEntry['dimensions']> = {
  embedding: 2048,
  feedForward: 6144,
  isGated: true,
  heads: 32,
  query: 4096,
  keyValue: 512,
  experts: { used: 8, feedForward: 768 },
  vocabulary: 151_936,
  merges: 151_387,
};
const variant = {
  id: 'q4_k_m',
  quantization: { name: 'Q4_K_M', bitsPerWeight: 4.85 },
  path: 'a.gguf',
  files: ['a.gguf'],
  sizeBytes: 18_556_686_912,
};

it('finds the experts of a mixture: 128 of them, three matrices each', () => {
  const { layerCount, expertBytesPerLayer } = layerSizes(
    modelEntry({ attention, dimensions }),
    variant,
  );
  expect(layerCount).toBe(48);
  const exact = (128 * 3 * 2048 * 768 * 4.85) / 8;
  expect(expertBytesPerLayer / exact).toBeGreaterThan(0.99);
  expect(expertBytesPerLayer / exact).toBeLessThan(1.01);
});

it('counts attention, embeddings and the projector apart from the experts', () => {
  const small = {
    ...dimensions,
    embedding: 10,
    query: 7,
    keyValue: 3,
    vocabulary: 100,
  };
  const projector = { sizeBytes: 5000, patches: 1, patchSize: 1, embedding: 1, feedForward: 1 };
  const model = modelEntry({
    attention: { ...attention, layerCount: 4 },
    dimensions: small,
    projector,
  });
  // One byte for each weight: 2 * 10 * (7 + 3) in each layer, and 2 * 100 * 10 outside of them.
  const quantization = { name: 'Q8', bitsPerWeight: 8 };
  expect(layerSizes(model, { ...variant, quantization, sizeBytes: 11_000 })).toEqual({
    layerCount: 4,
    expertBytesPerLayer: (11_000 - 5000 - 2000) / 4 - 200,
  });
});

it('knows no experts of other models, and no layers of an encoder', () => {
  const dense = { ...dimensions, experts: null };
  expect(layerSizes(modelEntry({ attention, dimensions: dense }), variant)).toEqual({
    layerCount: 48,
    expertBytesPerLayer: 0,
  });
  expect(layerSizes(modelEntry({ attention: null, dimensions }), variant).layerCount).toBe(0);
  expect(layerSizes(modelEntry({ attention, dimensions: null }), variant).layerCount).toBe(48);
});

it('is never negative, such as for forged headers', () => {
  const tiny = { ...variant, sizeBytes: 5, quantization: null };
  const sizes = layerSizes(modelEntry({ attention, dimensions }), tiny);
  expect(sizes.expertBytesPerLayer).toBe(0);
});
