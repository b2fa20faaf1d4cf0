import { beforeEach, expect, it } from 'vitest';
import { libraryOf, scriptedPoolWith } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { ModelEntry } from '../library/model.ts';
import type { Store } from '../store/store.ts';
import { VectorStores } from './vector-stores.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

function embedder(key: string, sizeBytes = 1_000_000): ModelEntry {
  const model = modelEntry({ key, type: 'embeddings' });
  return { ...model, variants: model.variants.map((variant) => ({ ...variant, sizeBytes })) };
}

function open(...models: readonly ModelEntry[]): VectorStores {
  const library = libraryOf(...models);
  const { pool } = scriptedPoolWith({ library });
  const indexer = { wake: () => {} };
  const minDimensions = () => undefined;
  return new VectorStores({
    store,
    library,
    pool,
    indexer,
    minDimensions,
    maxStores: 100,
    maxFiles: 100,
  });
}

const fields = { name: '', metadata: {}, expiresAfterDays: null, embeddingModel: undefined };

it('takes the largest embedding model that the caller may use', async () => {
  const vectorStores = open(embedder('test/small'), embedder('test/large', 2_000_000));
  const create = async (modelScope: readonly string[] | null) =>
    (await vectorStores.create(fields, testContext({ caller: { modelScope } }))).embeddingModel;
  expect(await create(null)).toBe('test/large');
  expect(await create(['test/sm*'])).toBe('test/small');
  await expect(create(['test/other'])).rejects.toMatchObject({ code: 'model_not_found' });
});
