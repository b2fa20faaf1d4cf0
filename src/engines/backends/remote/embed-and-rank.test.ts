import { describe, expect, it } from 'vitest';
import {
  failureOf,
  openUpstream,
  serveUpstream,
} from '../../../../test/setup/engine/open-upstream.ts';
import { sendJson } from '../../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../../test/setup/test-context.ts';

describe('embeddings', () => {
  it('are put in order', async () => {
    const server = await serveUpstream((_request, response) =>
      sendJson(response, {
        data: [
          { index: 1, embedding: [0, 1] },
          { index: 0, embedding: [1, 0] },
        ],
        usage: { prompt_tokens: 4 },
      }),
    );
    const { engine } = openUpstream([server.url]);
    expect(await engine.embed(['a', 'b'], testContext())).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      promptTokens: 4,
    });
  });

  it('are an error if one is missing', async () => {
    const server = await serveUpstream((_request, response) => sendJson(response, { data: [] }));
    const { engine } = openUpstream([server.url]);
    expect(await failureOf(engine.embed(['a'], testContext()))).toMatchObject({
      code: 'upstream_error',
    });
  });
});

describe('ranking', () => {
  const results = [
    { index: 1, relevance_score: 0.25 },
    { index: 0, relevance_score: 0.75 },
  ];
  const rank = async (answer: object, kind: 'openai' | 'llama-server' = 'openai') => {
    const server = await serveUpstream((_request, response) => sendJson(response, answer));
    const { engine } = openUpstream([server.url], { kind });
    return { server, ranking: engine.rank('sea', ['the sea', 'bread'], testContext()) };
  };

  it('sends the query and the documents, and puts the scores in order', async () => {
    const { server, ranking } = await rank({ results, usage: { total_tokens: 6 } });
    expect(await ranking).toEqual({ scores: [0.75, 0.25], promptTokens: 6, isNormalized: true });
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/rerank');
    const body = { model: 'small', query: 'sea', documents: ['the sea', 'bread'] };
    expect(JSON.parse(request?.body ?? '')).toEqual(body);
  });

  it('estimates the tokens if the server does not count them, and knows logits', async () => {
    const { ranking } = await rank({ results }, 'llama-server');
    expect(await ranking).toMatchObject({ promptTokens: 5, isNormalized: false });
  });

  it.each([
    { results: results.slice(1) },
    { results: [results[0], results[0]] },
    { results: [{ index: 0, relevance_score: '1' }, results[0]] },
    { data: [] },
  ])('is an error without a score for each document', async (answer) => {
    const { ranking } = await rank(answer);
    expect(await failureOf(ranking)).toMatchObject({ code: 'upstream_error' });
  });
});
