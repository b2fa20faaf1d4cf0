import { expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { ModelVariant } from '../../library/model.ts';
import { toOllamaModel } from './record.ts';

const variant = (id: string): ModelVariant => ({
  id,
  quantization: null,
  path: id,
  files: [],
  sizeBytes: 0,
});

it.each([
  ['ol/starter:latest', 'remote', 'ol/starter:latest'],
  ['ol/qwen3:8b', 'remote', 'ol/qwen3:8b'],
  ['owner/name', 'q8_0', 'owner/name:latest'],
  ['owner/name', 'q4_k_m', 'owner/name:q4_k_m'],
])('names %s, %s as %s', async (key, id, name) => {
  const variants = id === 'remote' ? [variant(id)] : [variant('q8_0'), variant('q4_k_m')];
  const selection = { model: modelEntry({ key, variants }), variant: variant(id) };
  expect((await toOllamaModel(selection)).name).toBe(name);
});
