import { deleteModel } from './model-schema.ts';
import { removeModel } from '../../../engines/loads/remove-model.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountDeleteModel(app: App, services: ApiServices): void {
  mount(app, deleteModel, async ({ params, context }) => {
    const { name, freedBytes } = await removeModel(services, params.model);
    context.logger.info({ model: name, freedBytes }, 'model deleted');
    services.events.publish({ type: 'model.deleted', model: name, freedBytes });
    return { model: name, deleted: true, freed_bytes: freedBytes };
  });
}
