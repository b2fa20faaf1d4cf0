import { expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { embed } from './embed.ts';

it('embeds texts and frees the instance', async () => {
  const { pool } = scriptedPool(
    modelEntry(),
    modelEntry({ key: 'test/embed', type: 'embeddings' }),
  );
  const request = { model: 'test/embed', inputs: ['a', 'b'], ttlSeconds: 7 };
  expect(await embed({ pool }, request, testContext())).toMatchObject({
    selection: { model: { key: 'test/embed' }, variant: { id: 'q8_0' } },
    vectors: [
      [1, 0],
      [1, 0],
    ],
    promptTokens: 2,
  });
  expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0, ttlSeconds: 7 }]);
  // The only loaded embedding model needs no name.
  await embed({ pool }, { model: undefined, inputs: ['a'] }, testContext());
  await expect(
    embed({ pool }, { model: 'test/model', inputs: ['a'] }, testContext()),
  ).rejects.toMatchObject({ code: 'wrong_model_type', field: 'model' });
  expect(pool.list()).toHaveLength(1);
});

it('throws the reason of a request that was aborted before', async () => {
  const { pool, launcher } = scriptedPool(modelEntry({ key: 'test/embed', type: 'embeddings' }));
  const reason = new Error('gone already');
  const context = testContext({ signal: AbortSignal.abort(reason) });
  await expect(embed({ pool }, { model: 'test/embed', inputs: ['a'] }, context)).rejects.toBe(
    reason,
  );
  expect(launcher.launchCount()).toBe(0);
});

it('refuses ids that are not tokens of the model, before it loads', async () => {
  const size = 100;
  const dimensions = {
    embedding: 2,
    feedForward: 2,
    isGated: true,
    heads: 1,
    query: 2,
    keyValue: 2,
    experts: null,
    vocabulary: size,
    merges: 0,
  };
  const { pool, launcher } = scriptedPool(
    modelEntry({ key: 'test/embed', type: 'embeddings', dimensions }),
  );
  const request = { model: 'test/embed', inputs: ['a', [0, size - 1], [1, size]] };
  await expect(embed({ pool }, request, testContext())).rejects.toMatchObject({
    code: 'invalid_value',
    field: 'inputs',
    message: expect.stringContaining(`the token ${size}, but`),
  });
  expect(launcher.launchCount()).toBe(0);
});
