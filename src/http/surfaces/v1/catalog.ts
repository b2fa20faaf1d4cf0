import { searchCatalog, type CatalogModelRecord } from '../../../contract/v1/catalog.ts';
import { searchModels, type AvailableModel } from '../../../hub/search-models.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountCatalog(app: App, services: SurfaceServices): void {
  mount(app, searchCatalog, async ({ query: { search = '', limit }, context }) => {
    const { models, hubError } = await searchModels(
      services,
      { words: search, limit },
      context.signal,
    );
    if (hubError === undefined) return { models: models.map(toRecord) };
    const { type, message, code } = hubError;
    return { models: models.map(toRecord), warning: { type, message, code } };
  });
}

function toRecord(model: AvailableModel): CatalogModelRecord {
  const { source, url } = model;
  if (source === 'hub') {
    const { owner, name, downloadCount, likeCount, updatedAt, isGated } = model.result;
    const repository = `${owner}/${name}`;
    return {
      id: repository,
      source,
      repository,
      url,
      ...omitUndefined({ type: model.type }),
      downloads: downloadCount,
      likes: likeCount,
      updated_at: updatedAt.toISOString(),
      gated: isGated,
    };
  }
  const { id, type, repository, quantization, license, description } = model.entry;
  return {
    id,
    source,
    repository,
    url,
    type,
    quantization,
    size_bytes: model.entry.approximateBytes,
    license,
    description,
  };
}
