import * as z from 'zod';
import { loadErrors } from '../../../kernel/errors/error-groups.ts';
import {
  contextLengthSchema,
  kvCacheTypes,
  modelIdentifierSchema,
  splitModes,
  tensorSplitSchema,
  textSchema,
  ttlSchema,
} from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { adapterChoicesSchema } from './adapter-schema.ts';
import {
  chosenConfigSchema,
  loadConfigSchema,
  placementSchema,
  speculationSchema,
} from './load-config-schema.ts';
import * as named from '../../kit/named.ts';

export const reasoningSchema = z
  .enum(['off', 'low', 'medium', 'high', 'on'])
  .meta({ id: 'ReasoningLevel' });

export const modelTypeSchema = z.enum(['llm', 'embedding', 'reranker']).meta({
  id: 'ModelType',
  description: '`reranker`: a model with a rank head, for `/v1/rerank`.',
});
export type ModelType = z.infer<typeof modelTypeSchema>;

const exampleConfig = {
  context_length: 4096,
  parallel: 4,
  cache_contexts: 4,
  chosen_by_memory: ['context_length', 'cache_contexts'],
};

export const exampleModel = {
  type: 'llm',
  publisher: 'hearth',
  key: 'hearth/starter-chat',
  display_name: 'starter-chat',
  architecture: 'llama',
  quantization: { name: 'Q8_0', bits_per_weight: 8.52 },
  size_bytes: 3_131_840,
  params_string: '3M',
  loaded_instances: [{ id: 'hearth/starter-chat', config: { context_length: 4096, parallel: 4 } }],
  max_context_length: 4096,
  format: 'gguf',
  capabilities: {
    vision: false,
    audio: false,
    trained_for_tool_use: true,
    reasoning: { allowed_options: ['off', 'on'], default: 'on' },
  },
  description: null,
};

export const quantizationSchema = named.object('Quantization', {
  name: z.string(),
  bits_per_weight: z.number(),
});

export const v1ModelSchema = named.object('V1Model', [exampleModel], {
  type: modelTypeSchema,
  publisher: z.string(),
  key: z.string(),
  base: z.string().optional().describe('Only of a profile: the key of its model.'),
  display_name: z.string(),
  architecture: z.string().nullable().optional(),
  quantization: quantizationSchema.nullable(),
  size_bytes: z.int(),
  params_string: z.string().nullable(),
  loaded_instances: z.array(
    named.object('LoadedInstance', {
      id: z.string(),
      config: loadConfigSchema,
      placement: placementSchema.optional(),
    }),
  ),
  max_context_length: z.int(),
  format: z.enum(['gguf', 'mlx']).nullable(),
  machines: z.array(z.string()).optional().describe('Linked machines that have the model.'),
  capabilities: named
    .object('ModelCapabilities', {
      vision: z.boolean(),
      audio: z.boolean().optional().describe('Whether it hears audio in chats.'),
      trained_for_tool_use: z.boolean(),
      reasoning: named
        .object('ReasoningCapability', {
          allowed_options: z.array(reasoningSchema),
          default: reasoningSchema,
        })
        .optional(),
    })
    .optional(),
  description: z.string().nullable().optional(),
  variants: z.array(z.string()).optional(),
  selected_variant: z.string().optional(),
});
export type V1Model = z.infer<typeof v1ModelSchema>;

export const v1ModelListSchema = z
  .object({ models: z.array(v1ModelSchema) })
  .meta({ id: 'V1ModelList', examples: [{ models: [exampleModel] }] });

const modelParams = z.object({ model: modelIdentifierSchema });

export const listModels = defineRoute('GET /api/v1/models', {
  operationId: 'listModels',
  summary: 'List the models on disk and their loaded instances',
  permission: 'models:read',
  result: v1ModelListSchema,
});

export const getModel = defineRoute('GET /api/v1/models/{model...}', {
  operationId: 'getModel',
  summary: 'Get a model',
  permission: 'models:read',
  params: modelParams,
  result: v1ModelSchema,
  errors: ['model_not_found'],
});

const exampleDeletedModel = {
  model: 'qwen/qwen2.5-0.5b-instruct',
  deleted: true,
  freed_bytes: 491_400_032,
};

const deletedModelSchema = named.object('DeletedModel', [exampleDeletedModel], {
  model: z
    .string()
    .describe('`publisher/name`, or `publisher/name@variant` if one of several was deleted.'),
  deleted: z.literal(true),
  freed_bytes: z
    .int()
    .nonnegative()
    .describe('Disk space freed; links, and files that have another hard link, free none.'),
});

export const deleteModel = defineRoute('DELETE /api/v1/models/{model...}', {
  operationId: 'deleteModel',
  summary: 'Delete a model from disk, or one variant of it (`publisher/name@q4_k_m`)',
  permission: 'models:write',
  params: modelParams,
  result: deletedModelSchema,
  errors: ['model_not_found', 'conflict'],
});

const exampleLoadRequest = {
  model: 'hearth/starter-chat',
  context_length: 4096,
  echo_load_config: true,
};

export const loadRequestSchema = named.strictObject('LoadRequest', [exampleLoadRequest], {
  model: modelIdentifierSchema,
  context_length: contextLengthSchema.nullish(),
  eval_batch_size: z
    .int()
    .min(1)
    .max(65_536)
    .nullish()
    .describe('Prompt tokens processed per batch.'),
  flash_attention: z.boolean().nullish(),
  num_experts: z
    .int()
    .min(1)
    .max(1024)
    .nullish()
    .describe('Active experts of a mixture-of-experts model.'),
  offload_kv_cache_to_gpu: z.boolean().nullish().describe('Keep the KV cache in GPU memory.'),
  parallel: z
    .int()
    .min(1)
    .max(256)
    .nullish()
    .describe('Number of requests processed in parallel; `engine.parallel` if absent.'),
  gpu_layers: z
    .int()
    .min(0)
    .max(1000)
    .nullish()
    .describe('Layers in GPU memory; `engine.gpuLayers` if absent, else as many as fit.'),
  cpu_moe_layers: z
    .int()
    .min(0)
    .max(1000)
    .nullish()
    .describe(
      'Layers of a mixture of experts whose experts stay in the memory of the machine; as few as necessary if absent.',
    ),
  split_mode: z
    .enum(splitModes)
    .nullish()
    .describe(
      '`none`: on one GPU; `layer`: whole layers on each GPU; `row`, `tensor`: parts of each layer, if the engine can. Absent: on one GPU if it fits, else by layers.',
    ),
  tensor_split: tensorSplitSchema
    .nullish()
    .describe(
      'Proportions of the layers on each GPU, in the order of their list; 0 leaves one out.',
    ),
  main_gpu: z
    .string()
    .min(1)
    .max(64)
    .nullish()
    .describe('Id of the GPU to use if it suffices, such as `CUDA1`.'),
  threads: z.int().min(1).max(1024).nullish().describe('CPU threads; `engine.threads` if absent.'),
  kv_cache_type: z
    .enum(kvCacheTypes)
    .nullish()
    .describe('Data type of the KV cache; `engine.kvType` if absent.'),
  cache_type_k: z
    .enum(kvCacheTypes)
    .nullish()
    .describe('Data type of the keys in the KV cache; `kv_cache_type` if absent.'),
  cache_type_v: z
    .enum(kvCacheTypes)
    .nullish()
    .describe('Data type of the values in the KV cache; `kv_cache_type` if absent.'),
  speculation: speculationSchema
    .nullish()
    .describe(
      '`ngram`: draft text that the prompt or the answer repeats; `mtp`: draft with layers of the model that predict further tokens; `auto`: measure during the load which of them or of `draft_model` is faster, and draft with none if none is; `off` if absent. An instance that drafts returns no log probabilities.',
    ),
  draft_model: modelIdentifierSchema
    .nullish()
    .describe('A smaller model with the same vocabulary, which drafts tokens for this one.'),
  chat_template: textSchema
    .min(1)
    .max(64 * 1024)
    .nullish()
    .describe('Jinja template in place of the chat template of the model; GGUF only.'),
  adapters: adapterChoicesSchema
    .nullish()
    .describe('LoRA adapters for requests that choose none. Requests can choose these and others.'),
  identifier: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,99}$/)
    .nullish()
    .describe('Id of the instance, for `model` of requests; the key of the model if absent.'),
  ttl: ttlSchema.nullish(),
  echo_load_config: z.boolean().nullish().describe('Return `load_config`.'),
  estimate_only: z
    .boolean()
    .nullish()
    .describe('Estimate the memory that the load needs, without loading.'),
  force: z.boolean().nullish().describe('Load even if the memory is insufficient.'),
});
export type LoadRequest = z.infer<typeof loadRequestSchema>;

/** Load options that affect the amount and place of memory. */
export const memoryOptions = {
  context_length: true,
  parallel: true,
  eval_batch_size: true,
  flash_attention: true,
  offload_kv_cache_to_gpu: true,
  gpu_layers: true,
  cpu_moe_layers: true,
  split_mode: true,
  tensor_split: true,
  main_gpu: true,
  kv_cache_type: true,
  cache_type_k: true,
  cache_type_v: true,
} as const;

const exampleLoadResult = {
  type: 'llm',
  instance_id: 'hearth/starter-chat',
  load_time_seconds: 0.41,
  status: 'loaded',
  load_config: { context_length: 4096, parallel: 4 },
};

export const loadResultSchema = named.object('LoadResult', [exampleLoadResult], {
  type: modelTypeSchema,
  instance_id: z.string(),
  load_time_seconds: z.number(),
  status: z.literal('loaded'),
  load_config: loadConfigSchema.optional(),
});

export type LoadResult = z.infer<typeof loadResultSchema>;

const exampleLoadEstimate = {
  type: 'llm',
  status: 'estimated',
  estimate: {
    total_bytes: 127_826_592,
    weights_bytes: 3_131_840,
    kv_cache_bytes: 75_497_472,
    compute_bytes: 4_676_608,
    projector_bytes: 0,
    process_bytes: 44_520_672,
    usable_bytes: 8_589_934_592,
    fits: true,
  },
  load_config: exampleConfig,
};

const loadEstimateSchema = named.object('LoadEstimate', [exampleLoadEstimate], {
  type: modelTypeSchema,
  status: z.literal('estimated'),
  estimate: named.object('MemoryEstimate', {
    total_bytes: z.int(),
    weights_bytes: z.int(),
    kv_cache_bytes: z.int(),
    compute_bytes: z.int(),
    projector_bytes: z.int(),
    process_bytes: z.int(),
    gpu_bytes: z
      .int()
      .optional()
      .describe(
        'The part of the total in the memory of GPUs; absent if there is none, and if they use the memory of the machine.',
      ),
    usable_bytes: z
      .int()
      .describe(
        'Memory of the machine and its GPUs available after evicting the instances that may be evicted for it.',
      ),
    fits: z.boolean().describe('Whether a load would be accepted, if necessary after evictions.'),
  }),
  load_config: chosenConfigSchema,
  placement: placementSchema.optional(),
});
export type LoadEstimateResult = z.infer<typeof loadEstimateSchema>;

const loadResponseSchema = named.discriminatedUnion('LoadResponse', 'status', [
  loadResultSchema,
  loadEstimateSchema,
]);

export const loadModel = defineRoute('POST /api/v1/models/load', {
  operationId: 'loadModel',
  summary: 'Load a model, or estimate the memory it needs',
  description:
    'Loading a model that is already loaded creates a second instance. The instance stays loaded until it is ' +
    'unloaded, unless `ttl` is set.',
  permission: 'models:write',
  body: loadRequestSchema,
  result: loadResponseSchema,
  errors: [...loadErrors, 'unrecognized_keys', 'conflict'],
});

const unloadRequestSchema = z
  .strictObject({ instance_id: z.string().min(1).max(512) })
  .meta({ id: 'UnloadRequest', examples: [{ instance_id: 'hearth/starter-chat' }] });
const unloadResultSchema = z
  .object({ instance_id: z.string() })
  .meta({ id: 'UnloadResult', examples: [{ instance_id: 'hearth/starter-chat' }] });

export const unloadModel = defineRoute('POST /api/v1/models/unload', {
  operationId: 'unloadModel',
  summary: 'Unload an instance',
  description:
    'Requests that are in flight on the instance fail with `unloaded`. The key of a model stands for its only ' +
    'instance.',
  permission: 'models:write',
  body: unloadRequestSchema,
  result: unloadResultSchema,
  errors: ['unrecognized_keys', 'instance_not_found'],
});
