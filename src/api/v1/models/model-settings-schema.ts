import * as z from 'zod';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { KeptLoadOptions } from '../../../engines/loads/model-settings.ts';
import { modelIdentifierSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { loadRequestSchema } from './model-schema.ts';

const loadFields = loadRequestSchema.pick({
  context_length: true,
  parallel: true,
  ttl: true,
  eval_batch_size: true,
  flash_attention: true,
  num_experts: true,
  offload_kv_cache_to_gpu: true,
  gpu_layers: true,
  speculation: true,
  draft_model: true,
});
export const loadSettingsSchema = loadFields.meta({ id: 'LoadSettings' });
export type LoadSettings = z.infer<typeof loadSettingsSchema>;

/** The options of a load that may be kept for later ones. */
export function toKeptLoadOptions(settings: LoadSettings): KeptLoadOptions {
  return omitUndefined({
    contextLength: settings.context_length,
    parallel: settings.parallel,
    gpuLayers: settings.gpu_layers,
    speculation: settings.speculation,
    draftModel: settings.draft_model,
    evalBatchSize: settings.eval_batch_size,
    hasFlashAttention: settings.flash_attention,
    expertCount: settings.num_experts,
    offloadsKvCacheToGpu: settings.offload_kv_cache_to_gpu,
    ttlSeconds: settings.ttl,
  });
}

const exampleSettings = {
  model: 'hearth/starter-chat',
  load: { context_length: 2048, ttl: 600 },
};

const modelSettingsSchema = z
  .object({ model: z.string(), load: loadSettingsSchema })
  .meta({ id: 'ModelSettings', examples: [exampleSettings] });

const params = z.object({ model: modelIdentifierSchema });

export const listModelSettings = defineRoute({
  method: 'get',
  path: '/api/v1/model-settings',
  operationId: 'listModelSettings',
  summary: 'List the models that have settings',
  permission: 'models:read',
  result: z.object({ models: z.array(modelSettingsSchema) }).meta({
    id: 'ModelSettingsList',
    examples: [{ models: [exampleSettings] }],
  }),
  errors: [],
});

export const getModelSettings = defineRoute({
  method: 'get',
  path: '/api/v1/model-settings/{model...}',
  operationId: 'getModelSettings',
  summary: 'Get the settings of a model',
  permission: 'models:read',
  params,
  result: modelSettingsSchema,
  errors: ['model_not_found'],
});

export const setModelSettings = defineRoute({
  method: 'put',
  path: '/api/v1/model-settings/{model...}',
  operationId: 'setModelSettings',
  summary: 'Replace the settings of a model',
  description:
    'They are in force for each later load of the model, whether a request of any API, `models.preload` or a load causes it. ' +
    'A load may name other values.',
  permission: 'models:write',
  params,
  body: z
    .strictObject({ load: loadSettingsSchema })
    .meta({ id: 'SetModelSettingsRequest', examples: [{ load: { context_length: 2048 } }] }),
  result: modelSettingsSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'model_not_found'],
});

export const deleteModelSettings = defineRoute({
  method: 'delete',
  path: '/api/v1/model-settings/{model...}',
  operationId: 'deleteModelSettings',
  summary: 'Delete the settings of a model',
  permission: 'models:write',
  params,
  result: z.object({ model: z.string(), deleted: z.boolean() }).meta({
    id: 'DeletedModelSettings',
    examples: [{ model: 'hearth/starter-chat', deleted: true }],
  }),
  errors: ['model_not_found'],
});
