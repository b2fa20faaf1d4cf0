import { expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { rerank } from './rerank.ts';

const ranker = modelEntry({ key: 'test/rank', type: 'reranker', architecture: 'bert' });
const documents = ['bread', 'sea and sea', 'the sea'];

it('sorts documents by their relevance, which it maps to 0 to 1', async () => {
  const { pool } = scriptedPool(modelEntry(), ranker);
  const context = testContext();
  const result = await rerank(
    { pool },
    { model: 'test/rank', query: 'sea', documents, ttlSeconds: 7 },
    context,
  );
  expect(context.record.generations).toMatchObject([{ operation: 'rerank' }]);
  expect(result).toMatchObject({ selection: { model: { key: 'test/rank' } }, promptTokens: 3 });
  expect(result.ranking.map(({ index }) => index)).toEqual([1, 2, 0]);
  const logistic = (score: number) => 1 / (1 + Math.exp(-score));
  expect(result.ranking.map(({ relevance }) => relevance)).toEqual([2, 1, 0].map(logistic));
  expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0, ttlSeconds: 7 }]);
  // The only loaded reranker needs no name.
  await rerank({ pool }, { model: '', query: 'sea', documents }, testContext());
});

it('keeps the probabilities of heads with a softmax', async () => {
  const { pool } = scriptedPool({ ...ranker, architecture: 'qwen3' });
  const request = { model: 'test/rank', query: 'sea', documents: ['the sea', 'bread'] };
  const { ranking } = await rerank({ pool }, request, testContext());
  expect(ranking).toEqual([
    { index: 0, relevance: 1 },
    { index: 1, relevance: 0 },
  ]);
});

it('keeps scores that are normalized', async () => {
  const { pool, launcher } = scriptedPool(ranker);
  launcher.normalizesScores = true;
  const request = { model: 'test/rank', query: 'sea', documents: ['the sea', 'bread'] };
  const { ranking } = await rerank({ pool }, request, testContext());
  expect(ranking.map(({ relevance }) => relevance)).toEqual([1, 0]);
});

it('needs a model with a rank head', async () => {
  const { pool, launcher } = scriptedPool(modelEntry());
  await expect(
    rerank({ pool }, { model: 'test/model', query: 'sea', documents }, testContext()),
  ).rejects.toMatchObject({
    code: 'wrong_model_type',
    field: 'model',
    message: 'test/model is a language model; reranking needs a model with a rank head.',
  });
  expect(launcher.launchCount()).toBe(0);
});
