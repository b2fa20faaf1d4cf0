import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { defineRoute } from '../../kit/route.ts';
import { v0EmbeddingRequestSchema, v0EmbeddingResultSchema } from '../v0/embedding-schema.ts';

export const createEmbeddingOpenAi = defineRoute({
  method: 'post',
  path: '/v1/embeddings',
  operationId: 'createEmbeddingOpenAi',
  summary: 'Embed texts as vectors',
  permission: 'embeddings',
  body: v0EmbeddingRequestSchema,
  result: v0EmbeddingResultSchema,
  errors: generationErrors,
});
