import { generationErrors } from '../error-groups.ts';
import { textSchema, tokenCountSchema, ttlSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

const v0EmbeddingRequestSchema = z
  .looseObject({
    model: z
      .string()
      .max(512)
      .nullish()
      .describe('Left out or empty: the one loaded embedding model.'),
    input: z.union([textSchema.min(1), z.array(textSchema.min(1)).min(1).max(2048)]),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    ttl: ttlSchema.nullish(),
  })
  .openapi('V0EmbeddingRequest');

export const v0EmbeddingResultSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .describe('Numbers, or base64 of 32-bit little-endian floats where asked for.'),
        index: z.int(),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: tokenCountSchema, total_tokens: tokenCountSchema }),
  })
  .openapi('V0EmbeddingResult');

export const createEmbeddingV0 = defineRoute({
  method: 'post',
  path: '/api/v0/embeddings',
  operationId: 'createEmbeddingV0',
  summary: 'Embed texts as vectors',
  tag: 'v0',
  permission: 'embeddings',
  request: { body: jsonBody(v0EmbeddingRequestSchema) },
  result: v0EmbeddingResultSchema,
  errors: generationErrors,
});
