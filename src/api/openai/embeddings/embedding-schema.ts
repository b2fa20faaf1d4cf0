import * as z from 'zod';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { dimensionsSchema, tokenCountSchema, ttlSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { textsSchema } from '../v0/text-completion-schema.ts';
import * as named from '../../kit/named.ts';

const exampleRequest = {
  model: 'hearth/starter-embed',
  input: 'The sea is calm at dawn.',
};

export const v0EmbeddingRequestSchema = named.looseObject('V0EmbeddingRequest', [exampleRequest], {
  model: z
    .string()
    .max(512)
    .nullish()
    .describe('The only loaded embedding model if absent or empty.'),
  input: textsSchema('V0EmbeddingInput', 2048),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: dimensionsSchema,
  ttl: ttlSchema.nullish(),
});

export type V0EmbeddingRequest = z.infer<typeof v0EmbeddingRequestSchema>;

const exampleEmbeddingResult = {
  object: 'list',
  data: [{ object: 'embedding', embedding: [0.0421, -0.1187, 0.0093], index: 0 }],
  model: 'hearth/starter-embed',
  usage: { prompt_tokens: 8, total_tokens: 8 },
};

export const v0EmbeddingResultSchema = named.object('V0EmbeddingResult', [exampleEmbeddingResult], {
  object: z.literal('list'),
  data: z.array(
    named.object('V0Embedding', {
      object: z.literal('embedding'),
      embedding: z.union([z.array(z.number()), z.string()]).meta({
        id: 'V0EmbeddingVector',
        description:
          'Numbers, or base64 of 32-bit little-endian floats if `encoding_format` is `base64`.',
      }),
      index: z.int(),
    }),
  ),
  model: z.string(),
  usage: named.object('V0EmbeddingUsage', {
    prompt_tokens: tokenCountSchema,
    total_tokens: tokenCountSchema,
  }),
});

export type V0EmbeddingResult = z.infer<typeof v0EmbeddingResultSchema>;

const shared = {
  summary: 'Embed texts as vectors',
  permission: 'embeddings',
  body: v0EmbeddingRequestSchema,
  result: v0EmbeddingResultSchema,
  errors: generationErrors,
} as const;

export const createEmbeddingV0 = defineRoute('POST /api/v0/embeddings', {
  ...shared,
  operationId: 'createEmbeddingV0',
});

export const createEmbeddingOpenAi = defineRoute('POST /v1/embeddings', {
  ...shared,
  operationId: 'createEmbeddingOpenAi',
});
