import * as z from 'zod';
import type { PeerRequest, PeerSuite } from './peer-case.ts';
import { embed, openAiError, unitVector } from './values.ts';

const llama = { peer: 'llama.cpp', repository: 'ggml-org/llama.cpp' } as const;
const notServed = { status: 404, body: { error: { code: 'not_found' } } } as const;
const embedText = (input: unknown, more: object = {}): PeerRequest => ({
  path: '/v1/embeddings',
  body: { model: embed, input, ...more },
});
const vectors = (length: number) => ({
  body: {
    object: 'list',
    data: Array.from({ length }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: unitVector,
    })),
  },
});

export const llamaEmbedding: PeerSuite = {
  ...llama,
  commit: '3a0f73e51c5a30492da876969608442c8bf9ac09',
  path: 'tools/server/tests/unit/test_embedding.py',
  cases: [
    {
      id: 'llama-embed-one',
      test: 'test_embedding_single',
      users: 'A text gives one vector of length 1.',
      request: embedText('The sea is calm.'),
      expect: vectors(1),
    },
    {
      id: 'llama-embed-several',
      test: 'test_embedding_multiple',
      users: 'Four texts give four vectors, in their order.',
      request: embedText(['The sea', 'A joke', 'A test', 'Another test']),
      expect: vectors(4),
    },
    ...(
      [
        ['empty', '', 1],
        ['text', 'string', 1],
        ['tokens', [12, 34, 56], 1],
        ['texts', ['string1', 'string2'], 2],
        ['text-and-tokens', ['string1', [12, 34, 56]], 2],
        [
          'token-lists',
          [
            [12, 34, 56],
            [12, 34, 56],
          ],
          2,
        ],
      ] as const
    ).map(([id, input, length]) => ({
      id: `llama-embed-input-${id}`,
      test: 'test_embedding_mixed_input',
      users: `The input ${JSON.stringify(input)} gives ${length === 1 ? 'one vector' : `${length} vectors`}.`,
      request: embedText(input),
      expect: vectors(length),
    })),
    {
      id: 'llama-embed-input-mixed-one',
      test: 'test_embedding_mixed_input',
      users: 'One input may mix tokens and texts.',
      request: embedText([12, 34, 'string', 56]),
      expect: { status: 400, body: openAiError(/input/) },
      differs: "Such a list cannot be told from several inputs, which OpenAI's API has.",
    },
    {
      id: 'llama-embed-input-object',
      test: 'test_embedding_mixed_input',
      users: 'An input may be an object with `content`.',
      request: embedText({ content: [{ type: 'text', text: 'string' }] }),
      expect: { status: 400, body: openAiError(/input/) },
      differs: "OpenAI's API has texts and tokens only; objects are for models that embed images.",
    },
    ...(
      [
        ['none', []],
        ['object-text', { content: 'string' }],
        ['audio', { content: [{ type: 'input_audio', input_audio: {} }] }],
      ] as const
    ).map(([id, input]) => ({
      id: `llama-embed-invalid-${id}`,
      test: 'test_embedding_invalid_input',
      users: `The input ${JSON.stringify(input)} is a 400.`,
      request: embedText(input),
      expect: { status: 400, body: openAiError(/input/, { param: 'input' }) },
    })),
    {
      id: 'llama-embed-long',
      test: 'test_embedding_error_prompt_too_long',
      users: 'A text that is too long is an error that names the context.',
      request: embedText('This is a test '.repeat(512)),
      expect: {
        status: 400,
        body: openAiError(/tokens; the context/, { code: 'context_length_exceeded' }),
      },
    },
    {
      id: 'llama-embed-same',
      test: 'test_same_prompt_give_same_result',
      users: 'The same text gives the same vector.',
      request: embedText(Array.from({ length: 5 }, () => 'The sea')),
      expect: {
        ...vectors(5),
        checks: [
          [
            'has one vector five times',
            ({ body: { data } }) =>
              data.every(({ embedding }: { readonly embedding: readonly number[] }) =>
                embedding.every((each, index) => Math.abs(each - data[0].embedding[index]) < 1e-3),
              ),
          ],
        ],
      },
    },
    {
      id: 'llama-embed-usage',
      test: 'test_embedding_usage_multiple',
      users: 'The usage of two texts is twice that of one.',
      before: [embedText('The sea is calm.')],
      request: embedText(['The sea is calm.', 'The sea is calm.']),
      expect: ([one]) => ({
        body: {
          usage: {
            prompt_tokens: 2 * one?.body.usage.prompt_tokens,
            total_tokens: 2 * one?.body.usage.prompt_tokens,
          },
        },
      }),
    },
    {
      id: 'llama-embed-base64',
      test: 'test_embedding_openai_library_base64',
      users: 'Base64 has the same numbers.',
      before: [embedText('The sea')],
      request: embedText('The sea', { encoding_format: 'base64' }),
      expect: ([numbers]) => ({
        body: { data: [{ embedding: z.base64() }] },
        checks: [
          [
            'has the same numbers',
            ({ body }) => {
              const bytes = Buffer.from(body.data[0].embedding, 'base64');
              const expected: readonly number[] = numbers?.body.data[0].embedding ?? [];
              return (
                bytes.length === 4 * expected.length &&
                expected.every(
                  (each, index) => Math.abs(each - bytes.readFloatLE(4 * index)) < 1e-3,
                )
              );
            },
          ],
        ],
      }),
    },
    {
      id: 'llama-embed-own-path',
      test: 'test_embedding_pooling_none',
      users: 'POST /embeddings without /v1 gives vectors of all tokens.',
      request: { path: '/embeddings', body: { input: 'hello' } },
      expect: notServed,
      differs: 'Not served; `/v1/embeddings` gives one vector for each text.',
    },
  ],
};

export const llamaRerank: PeerSuite = {
  ...llama,
  commit: '2f6903434e8d98d425ed0f960c3cd6e9ebd3651e',
  path: 'tools/server/tests/unit/test_rerank.py',
  cases: [
    ...(
      [
        ['empty', []],
        ['number', 123],
        ['numbers', [1, 2, 3]],
      ] as const
    ).map(([id, documents]) => ({
      id: `llama-rerank-invalid-${id}`,
      test: 'test_invalid_rerank_req',
      users: `The documents ${JSON.stringify(documents)} are a 400.`,
      request: { path: '/v1/rerank', body: { model: embed, query: 'The sea', documents } },
      expect: { status: 400, body: openAiError(/documents/) },
    })),
    {
      id: 'llama-rerank-model',
      test: 'test_embeddings_rejected_with_rank_pooling',
      users: 'A model for another purpose is a 400 that names it.',
      request: {
        path: '/v1/rerank',
        body: { model: embed, query: 'The sea', documents: ['The sea'] },
      },
      expect: { status: 400, body: openAiError(/rerank|rank/i) },
    },
    {
      id: 'llama-rerank-tei',
      test: 'test_rerank_tei_format',
      users: '`texts` instead of `documents` gives the format of TEI.',
      request: { path: '/v1/rerank', body: { model: embed, query: 'The sea', texts: ['The sea'] } },
      expect: { status: 400, body: openAiError(/documents/) },
      differs: 'The format is shared by Jina and Cohere, with `documents`.',
    },
  ],
};
