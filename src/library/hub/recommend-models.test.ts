import { expect, it } from 'vitest';
import type { CatalogEntry } from './catalog-entries.ts';
import { expectedSpeed, recommendModels } from './recommend-models.ts';

const entry = (id: string, type: CatalogEntry['type'], gigabytes: number): CatalogEntry => ({
  id,
  type,
  repository: `acme/${id}`,
  quantization: 'Q8_0',
  approximateBytes: gigabytes * 1e9,
  license: 'mit',
  description: 'A model.',
});
const entries = [
  entry('tiny', 'llm', 0.4),
  entry('small', 'llm', 1.1),
  entry('middle', 'llm', 2.5),
  entry('coder', 'llm', 4.7),
  entry('large', 'llm', 5),
  entry('tiny-eyes', 'vlm', 0.37),
  entry('eyes', 'vlm', 3.3),
  entry('vectors', 'embedding', 0.08),
  entry('ranks', 'reranker', 0.05),
];
const ids = (maxBytes: number, limit = 3): readonly string[] =>
  recommendModels(entries, (bytes) => bytes <= maxBytes, limit).map(({ id }) => id);

it('recommends the largest model that fits, one with vision, and a quick one', () => {
  expect(ids(100e9)).toEqual(['large', 'eyes', 'middle']);
  expect(ids(4e9)).toEqual(['middle', 'eyes', 'small']);
});

it('recommends only models to chat with, and nothing that does not fit', () => {
  expect(ids(500e6)).toEqual(['tiny', 'tiny-eyes']);
  expect(ids(380e6)).toEqual(['tiny-eyes']);
  expect(ids(100e6)).toEqual([]);
});

it('recommends no model twice, and at most as many as asked', () => {
  const all = ids(100e9, 10);
  expect(all).toHaveLength(7);
  expect(new Set(all).size).toBe(7);
  expect(ids(100e9, 1)).toEqual(['large']);
});

it('expects more speed of a mixture of experts than of a dense model of its size', () => {
  expect(expectedSpeed({ approximateBytes: 3e9 }, 20e9)).toBe(6.7);
  expect(expectedSpeed({ approximateBytes: 3e9, activeShare: 0.1 }, 20e9)).toBe(67);
});
