import { expect, it } from 'vitest';
import type { GgufValue } from './gguf/metadata.ts';
import { graphDimensions } from './graph-dimensions.ts';

function dimensionsOf(values: readonly (readonly [string, GgufValue])[]) {
  return graphDimensions('qwen35', {
    values: new Map(values),
    arrayLengths: new Map(),
    longestItems: new Map(),
    floats: new Set(),
  });
}

it('counts the layers that predict further tokens', () => {
  const header = ['qwen35.nextn_predict_layers', 1] as const;
  expect(dimensionsOf([header])?.predictingLayers).toBe(1);
  expect(dimensionsOf([['qwen35.nextn_predict_layers', 0]])).not.toHaveProperty('predictingLayers');
  expect(dimensionsOf([])).not.toHaveProperty('predictingLayers');
});

it('ignores a count that is not a number', () => {
  const header = ['qwen35.nextn_predict_layers', 'many'] as const;
  expect(dimensionsOf([header])).not.toHaveProperty('predictingLayers');
});
