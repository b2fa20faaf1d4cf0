import { getModelOpenAi, listModelsOpenAi, type OpenAiModel } from './model-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import { listNamedModels, type NamedModel } from '../../kit/named-models.ts';
import type { ApiServices } from '../../services.ts';

export function mountModels(app: App, services: ApiServices): void {
  const toModel = ({ id, model }: NamedModel): OpenAiModel => ({
    id,
    object: 'model',
    created: Math.floor(services.server.startedAt.getTime() / 1000),
    owned_by: model.publisher,
  });

  mount(app, listModelsOpenAi, async () => ({
    object: 'list',
    data: (await listNamedModels(services)).map(toModel),
  }));

  mount(app, getModelOpenAi, async ({ params: { model: id } }) => {
    const { model } = await services.library.find(id);
    return toModel({ id, model });
  });
}
