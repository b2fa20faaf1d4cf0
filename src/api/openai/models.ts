import * as z from 'zod';
import { modelIdentifierSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import { type App, mount } from '../kit/mount.ts';
import { listNamedModels, type NamedModel, servicesFor } from '../kit/named-models.ts';
import type { ApiServices } from '../services.ts';
import * as named from '../kit/named.ts';

const exampleModel = {
  id: 'hearth/starter-chat',
  object: 'model',
  created: 1_793_612_345,
  owned_by: 'hearth',
};

const modelSchema = named.object('OpenAiModel', [exampleModel], {
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Unix time in seconds at which the server started.'),
  owned_by: z.string().describe('The publisher.'),
});
export type OpenAiModel = z.infer<typeof modelSchema>;

export const listModelsOpenAi = defineRoute('GET /v1/models', {
  operationId: 'listModelsOpenAi',
  summary: 'List the models on disk',
  permission: 'models:read',
  result: z
    .object({ object: z.literal('list'), data: z.array(modelSchema) })
    .meta({ id: 'OpenAiModelList', examples: [{ object: 'list', data: [exampleModel] }] }),
});

export const getModelOpenAi = defineRoute('GET /v1/models/{model...}', {
  operationId: 'getModelOpenAi',
  summary: 'Get a model',
  permission: 'models:read',
  params: z.object({ model: modelIdentifierSchema }),
  result: modelSchema,
  errors: ['model_not_found'],
});

export function mountModels(app: App, services: ApiServices): void {
  const toModel = ({ id, model }: NamedModel): OpenAiModel => ({
    id,
    object: 'model',
    created: Math.floor(services.server.startedAt.getTime() / 1000),
    owned_by: model.publisher,
  });

  mount(app, listModelsOpenAi, async ({ context }) => ({
    object: 'list',
    data: (await listNamedModels(servicesFor(services, context.caller))).map(toModel),
  }));

  mount(app, getModelOpenAi, async ({ params: { model: id }, context }) => {
    return toModel({ ...(await services.libraryFor(context.caller).find(id)), id });
  });
}
