import { expect, it } from 'vitest';
import { placeRankModel, rankModel } from '../setup/models/rank-model.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeRankModel(home);
});

const documents = [
  'Bake bread in a oven.',
  { text: 'The giant panda is a bear in China.' },
  'Paris is the capital of France.',
];
const rerank = (body: object) =>
  post(hearth.url, '/v1/rerank', {
    model: rankModel,
    query: 'What is a panda?',
    documents,
    ...body,
  });

// covers api-4
it('sorts documents by the scores of the rank head', async () => {
  const { status, body } = await rerank({});
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'list', model: rankModel });
  const { results, usage } = body;
  expect(results.map(({ index }: { index: number }) => index)).toEqual([1, 2, 0]);
  const scores = results.map((result: { relevance_score: number }) => result.relevance_score);
  expect(scores).toEqual(scores.toSorted((left: number, right: number) => right - left));
  for (const score of scores) expect(score > 0 && score < 1).toBe(true);
  expect(usage).toEqual({ prompt_tokens: 43, total_tokens: 43 });
});

it('returns the best documents with their text', async () => {
  const { body } = await rerank({ top_n: 1, return_documents: true, model: '' });
  expect(body.results).toEqual([
    {
      index: 1,
      relevance_score: expect.any(Number),
      document: { text: 'The giant panda is a bear in China.' },
    },
  ]);
});

it('lists the model as a reranker, which neither chats nor embeds', async () => {
  const v1 = await get(hearth.url, `/api/v1/models/${rankModel}`);
  expect(v1.body).toMatchObject({ type: 'reranker' });
  expect(v1.body.capabilities).toBeUndefined();
  const v0 = await get(hearth.url, `/api/v0/models/${rankModel}`);
  expect(v0.body).toMatchObject({ type: 'embeddings', arch: 'bert' });
  const input = { model: rankModel, input: 'x', messages: [{ role: 'user', content: 'x' }] };
  for (const path of ['/v1/embeddings', '/v1/chat/completions']) {
    const { status, body } = await post(hearth.url, path, input);
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(`${rankModel} is a reranker;`),
    });
  }
});

it.each([
  [{ model: 'hearth/starter-chat' }, 'model', 'reranking needs a model with a rank head'],
  [{ model: 'hearth/starter-embed' }, 'model', 'is an embedding model; reranking needs'],
  [{ documents: [] }, 'documents', 'documents'],
  [{ documents: [7] }, 'documents[0]', 'documents'],
  [{ query: '' }, 'query', 'query'],
  [{ top_n: 0 }, 'top_n', 'top_n'],
  [{ rank_fields: ['title'] }, 'rank_fields', 'ranked by their `text`'],
  [{ documents: ['sea', 'bread '.repeat(300)] }, null, 'An input has 307 tokens'],
])('refuses %.60j', async (fields, param, message) => {
  const { status, body } = await rerank(fields);
  expect({ status, ...body.error }).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    param,
    message: expect.stringContaining(message),
  });
});
