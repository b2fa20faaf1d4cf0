import { getModelV0, listModelsV0 } from './model-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import { selectedInstances, loadedInstances } from '../../../engines/loads/loaded-instances.ts';
import type { ApiServices } from '../../services.ts';
import { toV0Model } from './record.ts';

export function mountModels(app: App, { library, pool, server }: ApiServices): void {
  mount(app, listModelsV0, async () => {
    const models = await library.list();
    const instances = pool.list();
    return {
      object: 'list',
      data: models.flatMap((model) =>
        model.variants
          .slice(0, 1)
          .map((variant) =>
            toV0Model(model, variant, loadedInstances(instances, model), server.startedAt),
          ),
      ),
    };
  });

  mount(app, getModelV0, async ({ params }) => {
    const selection = await library.find(params.model);
    const loaded = selectedInstances(pool.list(), selection, params.model);
    return toV0Model(selection.model, selection.variant, loaded, server.startedAt);
  });
}
