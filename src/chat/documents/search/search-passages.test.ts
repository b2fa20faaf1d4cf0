import { expect, it } from 'vitest';
import type { Store } from '../../../store/store.ts';
import type { VectorStoreFile } from '../../../store/vector-stores/vector-store.ts';
import { searchPassages } from './search-passages.ts';
import { toBytes } from './vectors.ts';

/** A store of passages with given cosines to the query, in blocks of 400. */
function storeOf(passages: readonly (readonly [text: string, cosine: number])[]) {
  async function* readBlocks(_id: string, withTexts = false) {
    for (let start = 0; start < passages.length; start += 400) {
      const block = passages.slice(start, start + 400);
      const vectors = block.map(([, cosine]) =>
        Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine)]),
      );
      const texts = withTexts ? block.map(([text]) => text) : [];
      yield [{ fileId: 'a', position: start / 400, bytes: toBytes(vectors), texts }];
    }
  }
  const vectorStores = {
    files: async () => [{ fileId: 'a', attributes: {} } as VectorStoreFile],
    readBlocks,
  };
  return { vectorStores } as unknown as Pick<Store, 'vectorStores'>;
}

async function search(
  passages: readonly (readonly [text: string, cosine: number])[],
  weights = { embedding: 1, text: 1 },
  limit = 5,
) {
  const hits = await searchPassages(storeOf(passages), 'vs_1', {
    queries: ['oil'],
    vectors: [Float32Array.from([1, 0])],
    filter: undefined,
    weights,
    limit,
    signal: new AbortController().signal,
  });
  return hits.map(({ position, index, score }) => [position * 400 + index, score] as const);
}

it('takes the weighted mean of the cosine and the share of words', async () => {
  const passages = [
    ['gas', 0.8],
    ['oil', 0.6],
    ['air', -0.5],
  ] as const;
  const [[first, score] = [], second, third] = await search(passages);
  expect(first).toBe(1);
  expect(score).toBeCloseTo(0.8);
  expect([second?.[0], third]).toEqual([0, [2, 0]]);
  expect(second?.[1]).toBeCloseTo(0.4);
});

it('leaves out what has no weight', async () => {
  const passages = [
    ['gas', 0.8],
    ['oil', 0.6],
  ] as const;
  const byMeaning = await search(passages, { embedding: 3, text: 0 });
  expect(byMeaning.map(([index]) => index)).toEqual([0, 1]);
  expect(byMeaning[0]?.[1]).toBeCloseTo(0.8);
  expect((await search(passages, { embedding: 0, text: 2 })).map(([index]) => index)).toEqual([1]);
});

it('finds the best of many passages, wherever they are', async () => {
  const passages = Array.from(
    { length: 1500 },
    (_, index) => [index === 3 ? 'oil' : 'gas', ((index * 7919) % 1500) / 3000] as const,
  );
  const expected = passages
    .map(([text, cosine], index) => ({ index, score: (text === 'oil' ? 9 : 0) + cosine }))
    .toSorted((left, right) => right.score - left.score)
    .map(({ index }) => index);
  const found = await search(passages, undefined, 7);
  expect(found.map(([index]) => index)).toEqual(expected.slice(0, 7));
});
