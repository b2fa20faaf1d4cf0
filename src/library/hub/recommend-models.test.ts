import { expect, it } from 'vitest';
import { recommendModels } from './recommend-models.ts';

const ids = (maxBytes: number, limit = 3): readonly string[] =>
  recommendModels((bytes) => bytes <= maxBytes, limit).map(({ id }) => id);

it('recommends the largest model that fits, one with vision, and a quick one', () => {
  expect(ids(100e9)).toEqual(['qwen3-8b', 'gemma-3-4b', 'qwen3-4b']);
  expect(ids(4e9)).toEqual(['qwen3-4b', 'gemma-3-4b', 'qwen2.5-1.5b']);
});

it('recommends no embedding model, and nothing that does not fit', () => {
  expect(ids(500e6)).toEqual(['qwen2.5-0.5b', 'smolvlm-256m', 'smollm2-360m']);
  expect(ids(380e6)).toEqual(['smolvlm-256m']);
  expect(ids(100e6)).toEqual([]);
});

it('recommends no model twice, and at most as many as asked', () => {
  const all = ids(100e9, 10);
  expect(new Set(all).size).toBe(10);
  expect(ids(100e9, 1)).toEqual(['qwen3-8b']);
});
