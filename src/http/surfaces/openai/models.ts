import {
  getModelOpenAi,
  listModelsOpenAi,
  type OpenAiModel,
} from '../../../contract/openai/model.ts';
import type { ModelEntry } from '../../../models/model.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountModels(app: App, { library, server }: SurfaceServices): void {
  const toModel = ({ key, publisher }: ModelEntry): OpenAiModel => ({
    id: key,
    object: 'model',
    created: Math.floor(server.startedAt.getTime() / 1000),
    owned_by: publisher,
  });

  mount(app, listModelsOpenAi, async () => ({
    object: 'list',
    data: (await library.list()).map(toModel),
  }));

  mount(app, getModelOpenAi, async ({ params }) => {
    const { model } = await library.find(params.model);
    return toModel(model);
  });
}
