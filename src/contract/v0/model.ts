import { defineRoute, z } from '../route.ts';

const v0ModelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    type: z.enum(['llm', 'vlm', 'embeddings']),
    publisher: z.string(),
    arch: z.string(),
    compatibility_type: z.enum(['gguf', 'mlx']),
    quantization: z.string(),
    state: z.enum(['loaded', 'not-loaded']),
    max_context_length: z.int().nonnegative(),
    loaded_context_length: z.int().positive().optional(),
    capabilities: z.array(z.literal('tool_use')).optional(),
  })
  .openapi('V0Model');
export type V0Model = z.infer<typeof v0ModelSchema>;

export const v0ModelListSchema = z
  .object({ object: z.literal('list'), data: z.array(v0ModelSchema) })
  .openapi('V0ModelList');

export const listModelsV0 = defineRoute({
  method: 'get',
  path: '/api/v0/models',
  operationId: 'listModelsV0',
  summary: 'List the models, loaded and downloaded',
  tag: 'v0',
  permission: 'models:read',
  result: v0ModelListSchema,
  errors: [],
});

export const getModelV0 = defineRoute({
  method: 'get',
  path: '/api/v0/models/{model}{.+}',
  operationId: 'getModelV0',
  summary: 'Get one model',
  tag: 'v0',
  permission: 'models:read',
  request: { params: z.object({ model: z.string().min(1).max(512) }) },
  result: v0ModelSchema,
  errors: ['model_not_found'],
});
