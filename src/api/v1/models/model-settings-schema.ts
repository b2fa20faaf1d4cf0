import * as z from 'zod';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { KeptLoadOptions, SettingsRecord } from '../../../engines/loads/settings-record.ts';
import { modelIdentifierSchema, textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { chatRequestSchema } from '../chat/chat-schema.ts';
import { presetFields } from '../presets/preset-schema.ts';
import { adapterChoicesSchema, toAdapterChoices } from './adapter-schema.ts';
import { loadRequestSchema, memoryOptions } from './model-schema.ts';
import * as named from '../../kit/named.ts';

const loadFields = loadRequestSchema.pick({
  ...memoryOptions,
  ttl: true,
  num_experts: true,
  threads: true,
  speculation: true,
  draft_model: true,
  chat_template: true,
});
export const loadSettingsSchema = loadFields.meta({ id: 'LoadSettings' });
export type LoadSettings = z.infer<typeof loadSettingsSchema>;

const { shape: chat } = chatRequestSchema;

/** Defaults for requests that do not set these fields. */
export const settingsFields = {
  system_prompt: presetFields.system_prompt.describe(
    'For conversations without a system prompt. An empty one in a profile hides the system prompt of its model.',
  ),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: chat.top_p,
  top_k: chat.top_k,
  min_p: chat.min_p,
  repeat_penalty: chat.repeat_penalty,
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  repeat_last_n: z
    .int()
    .min(-1)
    .max(2 ** 31 - 1)
    .nullish()
    .describe('Last tokens that `repeat_penalty` considers; 0 for none, -1 for the context.'),
  seed: z
    .int()
    .min(-1)
    .max(2 ** 32 - 1)
    .nullish(),
  stop: z
    .array(textSchema.min(1).max(1000))
    .max(64)
    .nullish()
    .describe('The answer ends before these texts. For requests without stops of their own.'),
  max_output_tokens: chat.max_output_tokens,
  reasoning: chat.reasoning.describe('Ignored by requests for a model without this setting.'),
  examples: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: textSchema.max(64_000) }))
    .max(64)
    .nullish()
    .describe('Messages before each chat, which show how the model answers.'),
  adapters: adapterChoicesSchema.nullish().describe('LoRA adapters for requests that choose none.'),
  license: textSchema.max(128_000).nullish().describe('Text of a license, which is only shown.'),
};

export const recordFields = {
  base: modelIdentifierSchema
    .nullish()
    .describe('Makes the name a profile: another name for this model, with settings of its own.'),
  load: loadSettingsSchema.optional(),
  pinned: z
    .boolean()
    .nullish()
    .describe('Load it when the server starts, and never unload it to make room.'),
  ...settingsFields,
};
export type SettingsFields = z.infer<z.ZodObject<typeof recordFields>>;

/** Converts load settings of the API to the load options that are stored. */
export function toKeptLoadOptions(settings: LoadSettings): KeptLoadOptions {
  return omitUndefined({
    contextLength: settings.context_length,
    parallel: settings.parallel,
    gpuLayers: settings.gpu_layers,
    cpuExpertLayers: settings.cpu_moe_layers,
    splitMode: settings.split_mode,
    tensorSplit: settings.tensor_split,
    mainGpu: settings.main_gpu,
    threads: settings.threads,
    kvCacheType: settings.kv_cache_type,
    cacheTypeK: settings.cache_type_k,
    cacheTypeV: settings.cache_type_v,
    speculation: settings.speculation,
    draftModel: settings.draft_model,
    evalBatchSize: settings.eval_batch_size,
    hasFlashAttention: settings.flash_attention,
    expertCount: settings.num_experts,
    offloadsKvCacheToGpu: settings.offload_kv_cache_to_gpu,
    chatTemplate: settings.chat_template,
    ttlSeconds: settings.ttl,
  });
}

/** Converts stored load options to the API's names. */
export function toLoadSettings(options: KeptLoadOptions) {
  return omitUndefined({
    context_length: options.contextLength,
    parallel: options.parallel,
    ttl: options.ttlSeconds,
    eval_batch_size: options.evalBatchSize,
    flash_attention: options.hasFlashAttention,
    num_experts: options.expertCount,
    offload_kv_cache_to_gpu: options.offloadsKvCacheToGpu,
    gpu_layers: options.gpuLayers,
    cpu_moe_layers: options.cpuExpertLayers,
    split_mode: options.splitMode,
    tensor_split: options.tensorSplit === undefined ? undefined : [...options.tensorSplit],
    main_gpu: options.mainGpu,
    threads: options.threads,
    kv_cache_type: options.kvCacheType,
    cache_type_k: options.cacheTypeK,
    cache_type_v: options.cacheTypeV,
    speculation: options.speculation,
    draft_model: options.draftModel,
    chat_template: options.chatTemplate,
  });
}

export function toRecord({ base, load, pinned, ...defaults }: SettingsFields): SettingsRecord {
  return omitUndefined({
    base,
    load: toKeptLoadOptions(load ?? {}),
    isPinned: pinned,
    systemPrompt: defaults.system_prompt,
    sampling: omitUndefined({
      temperature: defaults.temperature,
      topP: defaults.top_p,
      topK: defaults.top_k,
      minP: defaults.min_p,
      repeatPenalty: defaults.repeat_penalty,
      presencePenalty: defaults.presence_penalty,
      frequencyPenalty: defaults.frequency_penalty,
      repeatLastTokens: defaults.repeat_last_n,
      seed: defaults.seed,
    }),
    stop: defaults.stop,
    maxOutputTokens: defaults.max_output_tokens,
    reasoning: defaults.reasoning,
    examples: defaults.examples,
    adapters: defaults.adapters && toAdapterChoices(defaults.adapters),
    license: defaults.license,
  });
}

const exampleSettings = {
  model: 'hearth/starter-chat',
  load: { context_length: 2048, ttl: 600 },
  temperature: 0.2,
};
const exampleProfile = {
  model: 'starter-coder',
  base: 'hearth/starter-chat',
  load: {},
  system_prompt: 'You write TypeScript.',
  reasoning: 'off',
};

const modelSettingsSchema = named.object('ModelSettings', [exampleSettings], {
  model: z.string().describe('Key of the model, or name of the profile.'),
  ...recordFields,
  load: loadSettingsSchema,
  outdated_instances: z
    .array(z.string())
    .optional()
    .describe(
      'Loaded instances that have other values of `load`. They stay loaded: `load` takes effect with the next load.',
    ),
});
export type ModelSettingsResult = z.infer<typeof modelSettingsSchema>;

const params = z.object({ model: modelIdentifierSchema });

export const listModelSettings = defineRoute('GET /api/v1/model-settings', {
  operationId: 'listModelSettings',
  summary: 'List the settings of models, and the profiles',
  permission: 'models:read',
  result: z.object({ models: z.array(modelSettingsSchema) }).meta({
    id: 'ModelSettingsList',
    examples: [{ models: [exampleSettings, exampleProfile] }],
  }),
});

export const getModelSettings = defineRoute('GET /api/v1/model-settings/{model...}', {
  operationId: 'getModelSettings',
  summary: 'Get the settings of a model or profile',
  permission: 'models:read',
  params,
  result: modelSettingsSchema,
  errors: ['model_not_found'],
});

export const setModelSettings = defineRoute('PUT /api/v1/model-settings/{model...}', {
  operationId: 'setModelSettings',
  summary: 'Replace the settings of a model, or create or replace a profile',
  description:
    'They are in force for the requests of all APIs. Values of a request win, then its preset, then the profile, then the ' +
    'model. `load` applies to each later load of the model, whether a request, `models.preload` or a load causes it. ' +
    'A body with `base` makes `model` the name of a profile. It shares the loaded instances of its model unless `load` differs.',
  permission: 'models:write',
  params,
  body: z.strictObject(recordFields).meta({
    id: 'SetModelSettingsRequest',
    examples: [{ load: { context_length: 2048 }, temperature: 0.2 }],
  }),
  result: modelSettingsSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'model_not_found', 'conflict'],
});

export const deleteModelSettings = defineRoute('DELETE /api/v1/model-settings/{model...}', {
  operationId: 'deleteModelSettings',
  summary: 'Delete the settings of a model, or a profile',
  permission: 'models:write',
  params,
  result: z.object({ model: z.string(), deleted: z.boolean() }).meta({
    id: 'DeletedModelSettings',
    examples: [{ model: 'hearth/starter-chat', deleted: true }],
  }),
  errors: ['model_not_found', 'conflict'],
});
