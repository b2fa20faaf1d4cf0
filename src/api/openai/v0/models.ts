import * as z from 'zod';
import { modelIdentifierSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { InstanceSummary } from '../../../engines/loads/instance-summary.ts';
import { type App, mount } from '../../kit/mount.ts';
import {
  findModel,
  listModels,
  type NamedModel,
  servingInstances,
  servicesFor,
} from '../../kit/named-models.ts';
import type { ApiServices } from '../../services.ts';
import * as named from '../../kit/named.ts';

const exampleModel = {
  id: 'hearth/starter-chat',
  object: 'model',
  created: 1_793_612_345,
  owned_by: 'hearth',
  type: 'llm',
  publisher: 'hearth',
  arch: 'llama',
  compatibility_type: 'gguf',
  quantization: 'Q8_0',
  state: 'loaded',
  max_context_length: 4096,
  loaded_context_length: 4096,
  capabilities: ['tool_use'],
};

const v0ModelSchema = named.object('V0Model', [exampleModel], {
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Unix time in seconds at which the server started.'),
  owned_by: z.string().describe('The publisher, as in `publisher`.'),
  type: z
    .enum(['llm', 'vlm', 'embeddings'])
    .describe('Clients refuse the whole list for other values, so a reranker has `embeddings`.'),
  publisher: z.string(),
  arch: z.string(),
  compatibility_type: z
    .enum(['gguf', 'mlx'])
    .describe('Clients refuse the whole list for other values, so a remote model has `gguf`.'),
  quantization: z.string(),
  state: z.enum(['loaded', 'not-loaded']),
  max_context_length: z.int().nonnegative(),
  loaded_context_length: z.int().positive().optional(),
  capabilities: z.array(z.literal('tool_use')).optional(),
});
export type V0Model = z.infer<typeof v0ModelSchema>;

export const v0ModelListSchema = z
  .object({ object: z.literal('list'), data: z.array(v0ModelSchema) })
  .meta({ id: 'V0ModelList', examples: [{ object: 'list', data: [exampleModel] }] });

export const listModelsV0 = defineRoute('GET /api/v0/models', {
  operationId: 'listModelsV0',
  summary: 'List the models on disk',
  permission: 'models:read',
  result: v0ModelListSchema,
});

export const getModelV0 = defineRoute('GET /api/v0/models/{model...}', {
  operationId: 'getModelV0',
  summary: 'Get a model',
  permission: 'models:read',
  params: z.object({ model: modelIdentifierSchema }),
  result: v0ModelSchema,
  errors: ['model_not_found'],
});

/**
 * Converts a model or profile to v0's format.
 *
 * @param loaded Instances that serve it; the first one is shown.
 * @param createdAt Start time of the server.
 */
export function toV0Model(
  { id, model, variant }: NamedModel,
  [loaded]: readonly InstanceSummary[],
  createdAt: Date,
): V0Model {
  return {
    id,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: model.publisher,
    type: model.type === 'reranker' ? 'embeddings' : model.type,
    publisher: model.publisher,
    arch: model.architecture,
    compatibility_type: model.format === 'remote' ? 'gguf' : model.format,
    quantization:
      model.format === 'remote'
        ? ''
        : ((loaded?.selection.variant ?? variant).quantization?.name ?? 'unknown'),
    state: loaded === undefined ? 'not-loaded' : 'loaded',
    max_context_length: model.maxContextLength,
    ...omitUndefined({ loaded_context_length: loaded?.config.contextLength }),
    ...(model.isTrainedForToolUse ? { capabilities: ['tool_use'] } : {}),
  };
}

export function mountModels(app: App, services: ApiServices): void {
  const { pool } = services;
  const toModel = (
    instances: readonly InstanceSummary[],
    model: NamedModel,
    identifier?: string,
  ): V0Model => {
    const loaded = servingInstances(services, instances, model, identifier);
    return toV0Model(model, loaded, services.server.startedAt);
  };

  mount(app, listModelsV0, async ({ context }) => {
    const models = await listModels(servicesFor(services, context.caller));
    const instances = pool.list();
    return { object: 'list', data: models.map((each) => toModel(instances, each)) };
  });

  mount(app, getModelV0, async ({ params, context }) => {
    const model = await findModel(servicesFor(services, context.caller), params.model);
    return toModel(pool.list(), model, params.model);
  });
}
