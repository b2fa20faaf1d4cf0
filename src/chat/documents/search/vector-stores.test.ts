import { assert, beforeEach, expect, it, vi } from 'vitest';
import { libraryOf, scriptedPoolWith } from '../../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { temporaryStore } from '../../../../test/setup/store/temporary-store.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import type { ModelEntry } from '../../../library/model.ts';
import { vectorStoreOf } from '../../../store/project.ts';
import type { Store } from '../../../store/store.ts';
import { VectorStores } from './vector-stores.ts';
import { toBytes } from './vectors.ts';

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

/** Creates a vector store with one file, whose passages have these vectors. */
async function fill(
  id: string,
  passages: Readonly<Record<string, readonly [number, number]>>,
  dimensions = 2,
) {
  const createdAt = new Date();
  await store.vectorStores.insert({
    id,
    ownerId: null,
    name: '',
    metadata: {},
    embeddingModel: 'test/embed',
    expiresAfterDays: null,
    createdAt,
  });
  const fileId = `file-${id}`;
  const name = `${id}.md`;
  async function* bytes() {
    yield Buffer.from('text');
  }
  await store.files.write(
    { id: fileId, ownerId: null, purpose: 'assistants', name, createdAt },
    bytes(),
    'me',
  );
  await store.files.publish(fileId);
  const chunking = { maxTokens: 100, overlapTokens: 0 };
  const added = { vectorStoreId: id, fileId, batchId: 'vsfb_1', attributes: {}, chunking };
  await store.vectorStores.addFiles([{ ...added, createdAt }]);
  await store.vectorStores.setDimensions(id, dimensions);
  const vectors = Object.values(passages).map((vector) => Float32Array.from(vector));
  const texts = Object.keys(passages);
  await store.vectorStores.addBlock(added, { position: 0, texts, bytes: toBytes(vectors) });
  await store.vectorStores.finishFile(added, null);
}

it('reads the text of each block that it returns once', async () => {
  await fill('vs_a', { one: [1, 0], two: [0.8, 0.6], three: [0, 1] });
  await fill('vs_b', { four: [0.6, 0.8], five: [0, 1] });
  const readTexts = vi.spyOn(store.vectorStores, 'readTexts');
  const search = async (maxResults: number) => {
    const options = { vectorStoreIds: ['vs_a', 'vs_b'], maxResults };
    const found = await open(embedder('test/embed')).search(['x'], options, testContext());
    return found.map(({ text, filename }) => `${filename} ${text}`);
  };
  expect(await search(2)).toEqual(['vs_a.md one', 'vs_a.md two']);
  expect(readTexts).toHaveBeenCalledTimes(1);
  expect(await search(3)).toEqual(['vs_a.md one', 'vs_a.md two', 'vs_b.md four']);
  expect(readTexts).toHaveBeenCalledTimes(3);
});

it('embeds the queries once for all vector stores with the same model', async () => {
  await fill('vs_a', { one: [1, 0] });
  await fill('vs_b', { two: [0.6, 0.8] });
  const context = testContext();
  const options = { vectorStoreIds: ['vs_a', 'vs_b'], maxResults: 5 };
  const found = await open(embedder('test/embed')).search(['x'], options, context);
  expect(found.map(({ text }) => text)).toEqual(['one', 'two']);
  expect(context.record.generations).toHaveLength(1);
});

/** A project with one file. */
async function makeProject() {
  const sea = { name: 'Sea', instructions: '', preset: null, model: null };
  const created = await store.projects.create(null, sea, 1);
  const file = { name: 'a.md', text: 'One' };
  const limits = { maxFiles: 1, maxTotalLength: 100 };
  await store.projects.addFile(created?.id ?? '', null, file, limits);
  const [project] = await store.projects.list(null);
  assert(project !== undefined);
  return project;
}

it('adds the files of a project once, if two messages need them at the same time', async () => {
  const project = await makeProject();
  const addFiles = vi.spyOn(store.vectorStores, 'addMissingFiles');
  const vectorStores = open(embedder('test/embed'));
  const context = testContext();
  await Promise.all([
    vectorStores.addProject(project, context),
    vectorStores.addProject(project, context),
  ]);
  expect(addFiles).toHaveBeenCalledTimes(1);
});

it('adds the files of a project once, if two servers index it at the same time', async () => {
  const project = await makeProject();
  const [first, second] = [open(embedder('test/embed')), open(embedder('test/embed'))];
  await Promise.all([
    first.addProject(project, testContext()),
    second.addProject(project, testContext()),
  ]);
  const id = vectorStoreOf(project);
  const [file] = await store.vectorStores.files({ vectorStoreId: id });
  assert(file !== undefined);
  const { fileId, batchId } = file;
  const bytes = toBytes([Float32Array.of(1, 0)]);
  await store.vectorStores.addBlock(file, { position: 0, texts: ['One'], bytes });
  await store.vectorStores.finishFile(file, null);

  // One that read before the other one wrote.
  vi.spyOn(store.vectorStores, 'find').mockResolvedValueOnce(undefined);
  vi.spyOn(store.vectorStores, 'files').mockResolvedValueOnce([]);
  await second.addProject(project, testContext());
  expect(await store.vectorStores.findFile(id, fileId)).toMatchObject({
    status: 'completed',
    batchId,
  });
  expect(await store.vectorStores.blockPositions(id, fileId)).toEqual(new Set([0]));
});

it('refuses a vector store whose vectors have another length than those of its model', async () => {
  await fill('vs_a', { one: [1, 0] });
  await fill('vs_b', { two: [0.6, 0.8] }, 3);
  const options = { vectorStoreIds: ['vs_a', 'vs_b'], maxResults: 5 };
  await expect(
    open(embedder('test/embed')).search(['x'], options, testContext()),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/of 3 components, .* of 2\./),
  });
});
