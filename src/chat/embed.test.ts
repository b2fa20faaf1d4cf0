import { expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { Engines } from '../engines/engines.ts';
import type { ModelEntry } from '../library/model.ts';
import { embed, type EmbedServices } from './embed.ts';

const servicesOf = (pool: Engines, minDimensions?: number): EmbedServices => ({
  pool,
  minDimensions: (key) => (key === 'test/embed' ? minDimensions : undefined),
});

function graph(
  changes: Partial<NonNullable<ModelEntry['dimensions']>>,
): NonNullable<ModelEntry['dimensions']> {
  return {
    embedding: 2,
    feedForward: 2,
    isGated: true,
    heads: 1,
    query: 2,
    keyValue: 2,
    experts: null,
    vocabulary: 0,
    merges: 0,
    ...changes,
  };
}

it('embeds texts and frees the instance', async () => {
  const { pool } = scriptedPool(
    modelEntry(),
    modelEntry({ key: 'test/embed', type: 'embeddings' }),
  );
  const request = { model: 'test/embed', inputs: ['a', 'b'], ttlSeconds: 7 };
  expect(await embed(servicesOf(pool), request, testContext())).toMatchObject({
    selection: { model: { key: 'test/embed' }, variant: { id: 'q8_0' } },
    vectors: [
      [1, 0],
      [1, 0],
    ],
    promptTokens: 2,
  });
  expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0, ttlSeconds: 7 }]);
  // The only loaded embedding model needs no name.
  await embed(servicesOf(pool), { model: undefined, inputs: ['a'] }, testContext());
  await expect(
    embed(servicesOf(pool), { model: 'test/model', inputs: ['a'] }, testContext()),
  ).rejects.toMatchObject({ code: 'wrong_model_type', field: 'model' });
  expect(pool.list()).toHaveLength(1);
});

it('records how it ended', async () => {
  const { pool, launcher } = scriptedPool(modelEntry({ key: 'test/embed', type: 'embeddings' }));
  const request = { model: 'test/embed', inputs: ['a', 'b'] };
  const outcomeOf = async () => {
    const context = testContext();
    await embed(servicesOf(pool), request, context).catch(() => {});
    return context.record.generations.map(({ operation, outcome }) => [operation, outcome]);
  };
  expect(await outcomeOf()).toMatchObject([['embedding', { usage: { promptTokens: 2 } }]]);
  const engine = launcher.processes[0]?.engine ?? {};
  Object.assign(engine, { embed: () => Promise.reject(new Error('broken')) });
  expect(await outcomeOf()).toEqual([['embedding', { hasFailed: true }]]);
});

it('throws the reason of a request that was aborted before', async () => {
  const { pool, launcher } = scriptedPool(modelEntry({ key: 'test/embed', type: 'embeddings' }));
  const reason = new Error('gone already');
  const context = testContext({ signal: AbortSignal.abort(reason) });
  await expect(
    embed(servicesOf(pool), { model: 'test/embed', inputs: ['a'] }, context),
  ).rejects.toBe(reason);
  expect(launcher.launchCount()).toBe(0);
});

it('refuses ids that are not tokens of the model, before it loads', async () => {
  const size = 100;
  const dimensions = graph({ vocabulary: size });
  const { pool, launcher } = scriptedPool(
    modelEntry({ key: 'test/embed', type: 'embeddings', dimensions }),
  );
  const request = { model: 'test/embed', inputs: ['a', [0, size - 1], [1, size]] };
  await expect(embed(servicesOf(pool), request, testContext())).rejects.toMatchObject({
    code: 'invalid_value',
    field: 'inputs',
    message: expect.stringContaining(`the token ${size}, but`),
  });
  expect(launcher.launchCount()).toBe(0);
});

it('refuses dimensions that the model does not have, before it loads', async () => {
  const { pool, launcher } = scriptedPool(
    modelEntry({ key: 'test/embed', type: 'embeddings', dimensions: graph({ embedding: 384 }) }),
  );
  const run = (dimensions: number) =>
    embed(servicesOf(pool, 64), { model: 'test/embed', inputs: ['a'], dimensions }, testContext());
  await expect(run(32)).rejects.toMatchObject({
    field: 'dimensions',
    message:
      '`dimensions` is 32; the vectors of the model have 384 and can be shortened to 64 or more.',
  });
  await expect(run(385)).rejects.toMatchObject({ code: 'invalid_value' });
  expect(launcher.launchCount()).toBe(0);
});

it('cuts the vectors of a model that allows it, and scales them to the length 1', async () => {
  const { pool, launcher } = scriptedPool(modelEntry({ key: 'test/embed', type: 'embeddings' }));
  launcher.vector = [0.48, -0.36, 0.8, 0];
  const run = (dimensions: number | undefined, minimum?: number) =>
    embed(
      servicesOf(pool, minimum),
      { model: 'test/embed', inputs: ['a'], ...(dimensions === undefined ? {} : { dimensions }) },
      testContext(),
    );
  expect((await run(2, 2)).vectors).toEqual([[expect.closeTo(0.8), expect.closeTo(-0.6)]]);
  expect((await run(4)).vectors).toEqual([launcher.vector]);
  expect((await run(undefined, 2)).vectors).toEqual([launcher.vector]);
  const refusal = (message: string) => ({ code: 'invalid_value', field: 'dimensions', message });
  await expect(run(2)).rejects.toMatchObject(
    refusal('`dimensions` is 2; the vectors of the model have 4 and cannot be shortened.'),
  );
  const range = 'the vectors of the model have 4 and can be shortened to 2 or more.';
  await expect(run(1, 2)).rejects.toMatchObject(refusal(`\`dimensions\` is 1; ${range}`));
  await expect(run(5, 2)).rejects.toMatchObject(refusal(`\`dimensions\` is 5; ${range}`));
  await expect(run(5, 4)).rejects.toMatchObject(
    refusal('`dimensions` is 5; the vectors of the model have 4 and cannot be shortened.'),
  );
  launcher.vector = [3, 4, 0, 0];
  expect((await run(4, 2)).vectors).toEqual([[3, 4, 0, 0]]);
  launcher.vector = [0, 0, 0, 1];
  expect((await run(2, 2)).vectors).toEqual([[0, 0]]);
});
