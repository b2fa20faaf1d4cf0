import { HearthError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { searchCatalog, type CatalogModelRecord } from '../../../contract/v1/catalog.ts';
import { searchCatalog as searchEntries } from '../../../hub/catalog.ts';
import type { CatalogEntry } from '../../../hub/catalog-entries.ts';
import { hubAddress } from '../../../hub/hub-endpoint.ts';
import type { HubSearchResult } from '../../../hub/hub.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountCatalog(app: App, { hub, hubEndpoint }: SurfaceServices): void {
  const urlOf = (repository: string): string =>
    `${hubAddress(hubEndpoint).href.replace(/\/+$/, '')}/${repository}`;

  mount(app, searchCatalog, async ({ query: { search = '', limit }, context }) => {
    const words = search.trim();
    const entries = searchEntries(words).slice(0, limit);
    const known = entries.map((entry) => fromEntry(entry, urlOf));
    const missing = limit - known.length;
    if (words === '' || missing === 0) return { models: known };
    try {
      const found = await hub.search(words, limit, context.signal);
      const others = found.map((result) => fromHub(result, urlOf)).filter(isNotIn(known));
      return { models: [...known, ...others.slice(0, missing)] };
    } catch (error) {
      if (!(error instanceof HearthError) || error.code !== 'hub_unreachable') throw error;
      const { type, message, code } = error;
      return { models: known, warning: { type, message, code } };
    }
  });
}

function fromEntry(entry: CatalogEntry, urlOf: (repository: string) => string): CatalogModelRecord {
  const { id, type, repository, quantization, license, description, approximateBytes } = entry;
  return {
    id,
    source: 'catalog',
    repository,
    url: urlOf(repository),
    type,
    quantization,
    size_bytes: approximateBytes,
    license,
    description,
  };
}

function fromHub(
  result: HubSearchResult,
  urlOf: (repository: string) => string,
): CatalogModelRecord {
  const repository = `${result.owner}/${result.name}`;
  return {
    id: repository,
    source: 'hub',
    repository,
    url: urlOf(repository),
    ...omitUndefined({ type: result.task === null ? undefined : typesByTask.get(result.task) }),
    downloads: result.downloadCount,
    likes: result.likeCount,
    updated_at: result.updatedAt.toISOString(),
    gated: result.isGated,
  };
}

/** Tasks as the hub names them. */
const typesByTask: ReadonlyMap<string, 'llm' | 'vlm' | 'embedding'> = new Map([
  ['text-generation', 'llm'],
  ['image-text-to-text', 'vlm'],
  ['feature-extraction', 'embedding'],
  ['sentence-similarity', 'embedding'],
]);

/** Repositories differ in more than their letters' case. */
function isNotIn(known: readonly CatalogModelRecord[]) {
  const repositories = new Set(known.map(({ repository }) => repository.toLowerCase()));
  return ({ repository }: CatalogModelRecord): boolean =>
    !repositories.has(repository.toLowerCase());
}
