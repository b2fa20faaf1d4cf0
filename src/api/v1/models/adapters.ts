import type { AdapterEntry } from '../../../library/adapter.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { listAdapters, type AdapterRecord } from './adapter-schema.ts';

export function mountAdapters(app: App, { libraryFor }: ApiServices): void {
  mount(app, listAdapters, async ({ context }) => {
    const library = libraryFor(context.caller);
    const adapters = await library.listAdapters();
    const models = adapters.length === 0 ? [] : await library.list();
    const fitting = await Promise.all(
      models.flatMap((model) =>
        model.variants.slice(0, 1).map(async (variant) => ({
          key: model.key,
          adapters: await library.adaptersFor({ model, variant }),
        })),
      ),
    );
    return {
      adapters: adapters.map((adapter) => ({
        ...toAdapter(adapter),
        models: fitting
          .filter((model) => model.adapters.some(({ id }) => id === adapter.id))
          .map(({ key }) => key),
      })),
    };
  });
}

export function toAdapter(adapter: AdapterEntry): AdapterRecord {
  const { key, displayName, architecture, baseModel, rank, sizeBytes } = adapter;
  return {
    key,
    display_name: displayName,
    architecture,
    base_model: baseModel,
    rank,
    size_bytes: sizeBytes,
  };
}
