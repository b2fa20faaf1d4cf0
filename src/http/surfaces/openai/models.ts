import {
  getModelOpenAi,
  listModelsOpenAi,
  type OpenAiModel,
} from '../../../contract/openai/model.ts';
import { isPattern } from '../../../models/model-aliases.ts';
import type { ModelEntry } from '../../../models/model.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountModels(app: App, { library, aliases, server }: SurfaceServices): void {
  const toModel = ({ key, publisher }: ModelEntry, id = key): OpenAiModel => ({
    id,
    object: 'model',
    created: Math.floor(server.startedAt.getTime() / 1000),
    owned_by: publisher,
  });

  mount(app, listModelsOpenAi, async () => {
    const models = await library.list();
    const named = (await aliases.list()).flatMap((alias) => {
      const model = models.find(({ key }) => key === alias.model.toLowerCase());
      return isPattern(alias) || model === undefined ? [] : [toModel(model, alias.name)];
    });
    return { object: 'list', data: [...models.map((model) => toModel(model)), ...named] };
  });

  mount(app, getModelOpenAi, async ({ params }) => {
    const { model } = await library.find(params.model);
    return toModel(model, params.model);
  });
}
