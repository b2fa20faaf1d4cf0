import * as z from 'zod';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { fractionSchema, textSchema, tokenCountSchema, ttlSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const documentSchema = named.looseObject('RerankDocument', { text: textSchema });

const exampleRerankRequest = {
  model: 'baai/bge-reranker-v2-m3',
  query: 'What is a panda?',
  documents: ['The sea is calm at dawn.', 'The giant panda is a bear that lives in China.'],
  top_n: 1,
  return_documents: true,
};

const rerankRequestSchema = named.looseObject('RerankRequest', [exampleRerankRequest], {
  model: z.string().max(512).nullish().describe('The only loaded reranker if absent or empty.'),
  query: textSchema.min(1),
  documents: z
    .array(named.union('RerankInput', [textSchema, documentSchema]))
    .min(1)
    .max(1000),
  top_n: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .nullish()
    .describe('Number of results; all documents if absent.'),
  return_documents: z.boolean().nullish().describe('Whether results have the text.'),
  ttl: ttlSchema.nullish(),
});
export type RerankRequest = z.infer<typeof rerankRequestSchema>;

const exampleRerankResult = {
  object: 'list',
  model: 'baai/bge-reranker-v2-m3',
  results: [
    {
      index: 1,
      relevance_score: 0.9953,
      document: { text: 'The giant panda is a bear that lives in China.' },
    },
  ],
  usage: { prompt_tokens: 35, total_tokens: 35 },
};

const rerankResultSchema = named.object('RerankResult', [exampleRerankResult], {
  object: z.literal('list'),
  model: z.string(),
  results: z
    .array(
      named.object('RankedResult', {
        index: z.int().nonnegative().describe('Position in `documents`.'),
        relevance_score: fractionSchema,
        document: named.object('RankedDocument', { text: z.string() }).exactOptional(),
      }),
    )
    .describe('Most relevant first.'),
  usage: named.object('RerankUsage', {
    prompt_tokens: tokenCountSchema,
    total_tokens: tokenCountSchema,
  }),
});
export type RerankResult = z.infer<typeof rerankResultSchema>;

export const rerank = defineRoute('POST /v1/rerank', {
  operationId: 'rerank',
  summary: 'Sort documents by their relevance to a query',
  description:
    'Needs a model with a rank head, such as bge-reranker. The format is shared by Jina and Cohere.',
  permission: 'embeddings',
  body: rerankRequestSchema,
  result: rerankResultSchema,
  errors: generationErrors,
});
