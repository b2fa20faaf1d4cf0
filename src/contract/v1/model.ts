import { loadErrors } from '../error-groups.ts';
import { contextLengthSchema, modelIdentifierSchema, ttlSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

const reasoningLevels = ['off', 'low', 'medium', 'high', 'on'] as const;
export const reasoningSchema = z.enum(reasoningLevels);

export const loadConfigSchema = z
  .object({
    context_length: z.int(),
    eval_batch_size: z.int().optional(),
    parallel: z.int().optional(),
    flash_attention: z.boolean().optional(),
    num_experts: z.int().optional(),
    offload_kv_cache_to_gpu: z.boolean().optional(),
  })
  .openapi('LoadConfig');
export type LoadConfig = z.infer<typeof loadConfigSchema>;

export const v1ModelSchema = z
  .object({
    type: z.enum(['llm', 'embedding']),
    publisher: z.string(),
    key: z.string(),
    display_name: z.string(),
    architecture: z.string().nullable().optional(),
    quantization: z.object({ name: z.string(), bits_per_weight: z.number() }).nullable(),
    size_bytes: z.int(),
    params_string: z.string().nullable(),
    loaded_instances: z.array(z.object({ id: z.string(), config: loadConfigSchema })),
    max_context_length: z.int(),
    format: z.enum(['gguf', 'mlx']).nullable(),
    capabilities: z
      .object({
        vision: z.boolean(),
        trained_for_tool_use: z.boolean(),
        reasoning: z
          .object({ allowed_options: z.array(reasoningSchema), default: reasoningSchema })
          .optional(),
      })
      .optional(),
    description: z.string().nullable().optional(),
    variants: z.array(z.string()).optional(),
    selected_variant: z.string().optional(),
  })
  .openapi('V1Model');
export type V1Model = z.infer<typeof v1ModelSchema>;

export const v1ModelListSchema = z
  .object({ models: z.array(v1ModelSchema) })
  .openapi('V1ModelList');

export const listModels = defineRoute({
  method: 'get',
  path: '/api/v1/models',
  operationId: 'listModels',
  summary: 'List the models, loaded and downloaded',
  tag: 'v1',
  permission: 'models:read',
  result: v1ModelListSchema,
  errors: [],
});

export const getModel = defineRoute({
  method: 'get',
  path: '/api/v1/models/{model}{.+}',
  operationId: 'getModel',
  summary: 'Get one model',
  tag: 'v1',
  permission: 'models:read',
  request: { params: z.object({ model: modelIdentifierSchema }) },
  result: v1ModelSchema,
  errors: ['model_not_found'],
});

const deletedModelSchema = z
  .object({
    model: z.string().describe('`publisher/name`, with `@variant` where one of several went.'),
    deleted: z.literal(true),
    freed_bytes: z
      .int()
      .nonnegative()
      .describe('What the disk has more of; links, and files with other names, count nothing.'),
  })
  .openapi('DeletedModel');

export const deleteModel = defineRoute({
  method: 'delete',
  path: '/api/v1/models/{model}{.+}',
  operationId: 'deleteModel',
  summary: 'Delete a model from the disk, or one variant of it (`publisher/name@q4_k_m`)',
  tag: 'v1',
  permission: 'models:write',
  request: { params: z.object({ model: modelIdentifierSchema }) },
  result: deletedModelSchema,
  errors: ['model_not_found', 'conflict'],
});

export const loadRequestSchema = z
  .strictObject({
    model: modelIdentifierSchema,
    context_length: contextLengthSchema.optional(),
    eval_batch_size: z.int().min(1).max(65_536).optional(),
    flash_attention: z.boolean().optional(),
    num_experts: z.int().min(1).max(1024).optional(),
    offload_kv_cache_to_gpu: z.boolean().optional(),
    parallel: z.int().min(1).max(256).optional(),
    ttl: ttlSchema.optional(),
    echo_load_config: z.boolean().optional(),
    estimate_only: z
      .boolean()
      .optional()
      .describe('Says what the load would need, and loads nothing.'),
    force: z.boolean().optional().describe('Loads it even where the memory does not suffice.'),
  })
  .openapi('LoadRequest');
export type LoadRequest = z.infer<typeof loadRequestSchema>;

export const loadResultSchema = z
  .object({
    type: z.enum(['llm', 'embedding']),
    instance_id: z.string(),
    load_time_seconds: z.number(),
    status: z.literal('loaded'),
    load_config: loadConfigSchema.optional(),
  })
  .openapi('LoadResult');

const loadEstimateSchema = z
  .object({
    type: z.enum(['llm', 'embedding']),
    status: z.literal('estimated'),
    estimate: z.object({
      total_bytes: z.int(),
      weights_bytes: z.int(),
      kv_cache_bytes: z.int(),
      compute_bytes: z.int(),
      projector_bytes: z.int(),
      process_bytes: z.int(),
      usable_bytes: z.int().describe('What it could have, with all gone that gives way to it.'),
      fits: z
        .boolean()
        .describe('Whether a load would be taken, at once or when others have gone.'),
    }),
    load_config: loadConfigSchema,
  })
  .openapi('LoadEstimate');
export type LoadEstimateResult = z.infer<typeof loadEstimateSchema>;

export const loadModel = defineRoute({
  method: 'post',
  path: '/api/v1/models/load',
  operationId: 'loadModel',
  summary: 'Load a model, or estimate a load; a second load of a model makes a second instance',
  tag: 'v1',
  permission: 'models:write',
  request: { body: jsonBody(loadRequestSchema) },
  result: z.discriminatedUnion('status', [loadResultSchema, loadEstimateSchema]),
  errors: [...loadErrors, 'unrecognized_keys'],
});

const unloadRequestSchema = z
  .strictObject({ instance_id: z.string().min(1).max(512) })
  .openapi('UnloadRequest');
const unloadResultSchema = z.object({ instance_id: z.string() }).openapi('UnloadResult');

export const unloadModel = defineRoute({
  method: 'post',
  path: '/api/v1/models/unload',
  operationId: 'unloadModel',
  summary: 'Unload an instance; requests that it works on get an error',
  tag: 'v1',
  permission: 'models:write',
  request: { body: jsonBody(unloadRequestSchema) },
  result: unloadResultSchema,
  errors: ['unrecognized_keys', 'instance_not_found'],
});
