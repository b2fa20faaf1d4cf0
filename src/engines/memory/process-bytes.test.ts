import { expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { ModelEntry } from '../../library/model.ts';
import { processBytes } from './process-bytes.ts';

const mebibyte = 1024 * 1024;
const demand = { contextLength: 256, parallel: 2 } as Parameters<typeof processBytes>[2];

it('counts the program, the slots, the vocabulary and the cells of the cache', () => {
  const model = modelEntry({
    dimensions: { vocabulary: 1000, merges: 500 } as ModelEntry['dimensions'],
    attention: {} as ModelEntry['attention'],
  });
  const slots = 2 * (0.75 * mebibyte + 256 * 128);
  expect(processBytes(model, 'generation', demand)).toBe(37 * mebibyte + 1500 * 210 + slots);
  expect(processBytes(model, 'embedding', demand)).toBe(34 * mebibyte + 1500 * 210 + slots);
});

it('needs no header of the model', () => {
  const model = modelEntry({ dimensions: null, attention: null });
  expect(processBytes(model, 'generation', demand)).toBe(37 * mebibyte + 2 * 0.75 * mebibyte);
});
