import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

let tokens: Readonly<Record<'own' | 'other', string>>;
const hearth = useHearth(async (home) => {
  tokens = await withTokens(home, async (service) => {
    const make = async () =>
      (await service.create({ name: 'test', permissions: ['embeddings'] })).token;
    return { own: await make(), other: await make() };
  });
  return { flags: ['--auth-required'] };
});
const connect = (token: keyof typeof tokens = 'own') =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: tokens[token], maxRetries: 0 });

const quickly = { pollIntervalMs: 20 };
const texts = {
  'garden.md': '# Garden\n\nTomatoes need sun and water. Prune the side shoots each week.',
  'bicycle.html': '<h1>Bicycle</h1><p>The chain needs oil. Check the brakes before each ride.</p>',
};

async function upload(name: string, text: string, client = connect()): Promise<string> {
  const file = await toFile(Buffer.from(text), name);
  return (await client.files.create({ file, purpose: 'user_data' })).id;
}

async function makeStore(client = connect()) {
  const store = await client.vectorStores.create({ name: 'Manuals', metadata: { kind: 'home' } });
  for (const [name, text] of Object.entries(texts)) {
    const file = await toFile(Buffer.from(text), name);
    const added = await client.vectorStores.files.uploadAndPoll(store.id, file, quickly);
    expect(added).toMatchObject({ status: 'completed', last_error: null });
  }
  return store.id;
}

// covers api-16
it('finds the passages of files, which filters select', async () => {
  const client = connect();
  const id = await makeStore();
  expect(await client.vectorStores.retrieve(id)).toMatchObject({
    object: 'vector_store',
    name: 'Manuals',
    metadata: { kind: 'home' },
    embedding_model: 'hearth/starter-embed',
    status: 'completed',
    file_counts: { in_progress: 0, completed: 2, failed: 0, cancelled: 0, total: 2 },
  });
  const search = async (options: Partial<OpenAI.VectorStores.VectorStoreSearchParams> = {}) =>
    (await client.vectorStores.search(id, { query: 'oil for the chain', ...options })).data;
  const [best, second] = await search();
  expect(best).toMatchObject({ filename: 'bicycle.html', attributes: {} });
  expect(best?.content).toEqual([
    { type: 'text', text: '# Bicycle\n\nThe chain needs oil. Check the brakes before each ride.' },
  ]);
  expect(best?.score).toBeGreaterThan(second?.score ?? 1);
  expect(await search({ max_num_results: 1 })).toEqual([best]);
  expect(await search({ ranking_options: { score_threshold: best?.score ?? 0 } })).toEqual([best]);
  expect(await search({ query: ['tomatoes', 'sun and water'], max_num_results: 1 })).toMatchObject([
    { filename: 'garden.md' },
  ]);
  const ranker = 'auto';
  const hybrid = { ranker, hybrid_search: { embedding_weight: 1, text_weight: 3 } } as const;
  const [byWords] = await search({ query: 'prune', ranking_options: hybrid });
  expect(byWords).toMatchObject({ filename: 'garden.md', score: expect.any(Number) });
  expect(byWords?.score).toBeGreaterThan(0.7);
  const noWeight = { ranker, hybrid_search: { embedding_weight: 0, text_weight: 0 } } as const;
  await expect(search({ ranking_options: noWeight })).rejects.toBeInstanceOf(BadRequestError);
  const garden = (await client.vectorStores.files.list(id, { order: 'asc', limit: 1 })).data[0];
  await client.vectorStores.files.update(garden?.id ?? '', {
    vector_store_id: id,
    attributes: { year: 2026, isNew: true },
  });
  const isNew = { type: 'eq', key: 'isNew', value: true } as const;
  expect(
    await search({
      filters: { type: 'and', filters: [isNew, { type: 'gt', key: 'year', value: 2025 }] },
    }),
  ).toMatchObject([{ filename: 'garden.md', attributes: { year: 2026, isNew: true } }]);
  expect(await search({ filters: { ...isNew, value: false } })).toEqual([]);
  const content = await client.vectorStores.files.content(garden?.id ?? '', {
    vector_store_id: id,
  });
  expect(content.data).toEqual([{ type: 'text', text: texts['garden.md'] }]);
});

it('forgets a file that is removed or deleted, and a store', async () => {
  const client = connect();
  const id = await makeStore();
  const [first, second] = (await client.vectorStores.files.list(id)).data;
  await client.vectorStores.files.delete(first?.id ?? '', { vector_store_id: id });
  expect(await client.files.retrieve(first?.id ?? '')).toMatchObject({ purpose: 'assistants' });
  await client.files.delete(second?.id ?? '');
  expect((await client.vectorStores.search(id, { query: 'oil' })).data).toEqual([]);
  expect((await client.vectorStores.files.list(id)).data).toEqual([]);
  expect(await client.vectorStores.delete(id)).toMatchObject({ deleted: true });
  await expect(client.vectorStores.retrieve(id)).rejects.toThrow(NotFoundError);
});

it('adds files in batches, and says which of them cannot be read', async () => {
  const client = connect();
  const store = await client.vectorStores.create({ name: 'Batch', embedding_model: '' } as never);
  const good = await upload('good.csv', 'part,price\nchain,12\n');
  const bad = await upload('bad.pdf', '%PDF-1.7');
  const batch = await client.vectorStores.fileBatches.createAndPoll(
    store.id,
    {
      files: [
        { file_id: good, attributes: { kind: 'list' } },
        { file_id: bad, chunking_strategy: { type: 'auto' } },
      ],
    },
    quickly,
  );
  expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 1, failed: 1 } });
  const failed = await client.vectorStores.fileBatches.listFiles(batch.id, {
    vector_store_id: store.id,
    filter: 'failed',
  });
  expect(failed.data).toMatchObject([
    {
      id: bad,
      last_error: { code: 'invalid_file', message: expect.stringContaining('bad.pdf is damaged') },
    },
  ]);
  const cancelled = await client.vectorStores.fileBatches.cancel(batch.id, {
    vector_store_id: store.id,
  });
  expect(cancelled.status).toBe('completed');
});

// covers api-16
it('refuses what it does not have, and what belongs to others', async () => {
  const client = connect();
  const id = await makeStore();
  const create = (body: object) => client.vectorStores.create(body);
  await expect(create({ embedding_model: 'hearth/starter-chat' })).rejects.toThrow(
    'is a language model',
  );
  await expect(create({ file_ids: ['file-x'] })).rejects.toThrow(NotFoundError);
  const files = client.vectorStores.files;
  const file = await toFile(Buffer.from('{}'), 'a.jsonl');
  const { id: requests } = await client.files.create({ file, purpose: 'batch' });
  await expect(files.create(id, { file_id: requests })).rejects.toThrow('has the purpose "batch"');
  const search = (body: object) =>
    client.vectorStores.search(id, { query: 'x', ...body }).then((page) => page.data);
  await expect(search({ rewrite_query: true })).rejects.toThrow(BadRequestError);
  const deep = { type: 'and', filters: [{ type: 'eq', key: 'a', value: 1 }] };
  const nested = (levels: number): object =>
    levels === 0 ? deep : { type: 'or', filters: [nested(levels - 1)] };
  expect(await search({ filters: nested(2) })).toEqual([]);
  await expect(search({ filters: nested(3) })).rejects.toThrow(BadRequestError);
  await expect(search({ ranking_options: { ranker: 'hearth/starter-chat' } })).rejects.toThrow(
    'reranking needs',
  );
  const other = connect('other');
  await expect(other.vectorStores.search(id, { query: 'oil' })).rejects.toThrow(NotFoundError);
  const ofOther = await upload('a.md', 'Mine.', other);
  await expect(files.create(id, { file_id: ofOther })).rejects.toThrow(NotFoundError);
  const quotas = Array.from({ length: 100 }, () => other.vectorStores.create({}));
  await Promise.all(quotas);
  await expect(other.vectorStores.create({})).rejects.toThrow('100 vector stores');
});

// covers api-17
it('continues to index a file after it was killed', async () => {
  const store = await connect().vectorStores.create({ name: 'Long' });
  const text = Array.from({ length: 2500 }, (_, index) => `Sentence ${index} of the sea.`);
  const file = await upload('long.txt', text.join(' '));
  const added = await connect().vectorStores.files.create(store.id, { file_id: file });
  const read = () => connect().vectorStores.files.retrieve(file, { vector_store_id: store.id });
  await expect
    .poll(async () => (await read()).usage_bytes, { interval: 5, timeout: 30_000 })
    .toBeGreaterThan(0);
  await hearth.kill();
  await hearth.restart();
  const before = await read();
  expect([added.status, before.status]).toEqual(['in_progress', 'in_progress']);
  const after = await connect().vectorStores.files.poll(store.id, file, quickly);
  expect(after.status).toBe('completed');
  expect(after.usage_bytes).toBeGreaterThan(before.usage_bytes);
});
