import { searchCatalog, type CatalogModelRecord } from './catalog-schema.ts';
import type { CatalogEntry } from '../../../library/hub/catalog-entries.ts';
import { searchModels, type AvailableModel } from '../../../library/hub/search-models.ts';
import { estimateFromSize, memoryFit } from '../../../engines/loads/memory-fit.ts';
import type { Headroom } from '../../../engines/engines.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toLicense } from './license-schema.ts';

export function mountCatalog(app: App, services: ApiServices): void {
  mount(app, searchCatalog, async ({ query: { search = '', limit, source }, context }) => {
    const { hub, modelScopeHub, catalog } = services;
    const { models, hubError } = await searchModels(
      source === 'hub' ? { hub, source, catalog } : { hub: modelScopeHub, source },
      { words: search, limit },
      context.signal,
    );
    const headroom = services.pool.headroom();
    const records = models.map((model) => toRecord(model, headroom));
    if (hubError === undefined) return { models: records };
    const { type, message, code } = hubError;
    return { models: records, warning: { type, message, code } };
  });
}

function toRecord(model: AvailableModel, headroom: Headroom): CatalogModelRecord {
  const { source, url } = model;
  if (source !== 'catalog') {
    const { owner, name, downloadCount, likeCount, updatedAt, isGated, license } = model.result;
    const repository = `${owner}/${name}`;
    return {
      id: source === 'hub' ? repository : `modelscope:${repository}`,
      source,
      repository,
      url,
      ...omitUndefined({ type: model.type }),
      downloads: downloadCount,
      likes: likeCount,
      updated_at: updatedAt.toISOString(),
      gated: isGated,
      ...toLicense(license),
    };
  }
  return toCatalogRecord(model.entry, url, headroom);
}

/** Converts an entry of the catalog. @param url URL of the entry's repository. */
export function toCatalogRecord(
  entry: CatalogEntry,
  url: string,
  headroom: Headroom,
): CatalogModelRecord {
  const { id, type, repository, quantization, license, description, approximateBytes } = entry;
  return {
    id,
    source: 'catalog',
    repository,
    url,
    type,
    quantization,
    size_bytes: approximateBytes,
    ...toLicense(license),
    description,
    fits: memoryFit(estimateFromSize(approximateBytes), headroom),
  };
}
