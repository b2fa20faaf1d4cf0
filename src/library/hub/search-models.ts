import { HearthError } from '../../kernel/errors/errors.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogEntry } from './catalog-entries.ts';
import type { Hub, HubSearchResult } from './hub.ts';

/** A model that can be downloaded. */
export type AvailableModel = {
  /** URL of the repository on the hub. */
  readonly url: string;
} & (
  | { readonly source: 'catalog'; readonly entry: CatalogEntry }
  | {
      readonly source: 'hub' | 'modelscope';
      readonly result: HubSearchResult;
      /** Undefined if the hub does not report it. */
      readonly type: CatalogEntry['type'] | undefined;
    }
);

export interface ModelSearch {
  readonly models: readonly AvailableModel[];
  /** The reason if the hub could not be searched. */
  readonly hubError?: HearthError;
}

interface SearchedSource {
  readonly hub: Pick<Hub, 'search' | 'repositoryUrl'>;
  readonly source: 'hub' | 'modelscope';
  readonly catalog?: Catalog;
}

/**
 * Searches the catalog, if there is one, and then the hub until `limit` is reached. Without words, lists only the
 * catalog.
 *
 * @throws The signal's reason when aborted.
 */
export async function searchModels(
  { hub, source, catalog }: SearchedSource,
  { words, limit }: { readonly words: string; readonly limit: number },
  signal: AbortSignal,
): Promise<ModelSearch> {
  const search = words.trim();
  const entries = catalog?.search(search).slice(0, limit) ?? [];
  const known: readonly AvailableModel[] = entries.map((entry) => ({
    source: 'catalog',
    url: hub.repositoryUrl(entry.repository),
    entry,
  }));
  const missing = limit - known.length;
  if (search === '' || missing === 0) return { models: known };
  try {
    const results = await hub.search(search, limit, signal);
    const others = results.filter(isNotIn(entries)).slice(0, missing);
    return {
      models: [
        ...known,
        ...others.map((result) => ({
          source,
          url: hub.repositoryUrl(`${result.owner}/${result.name}`),
          result,
          type: result.task === null ? undefined : typesByTask.get(result.task),
        })),
      ],
    };
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'hub_unreachable') throw error;
    return { models: known, hubError: error };
  }
}

/** Model types by the hub's names of tasks. */
const typesByTask: ReadonlyMap<string, CatalogEntry['type']> = new Map([
  ['text-generation', 'llm'],
  ['image-text-to-text', 'vlm'],
  ['feature-extraction', 'embedding'],
  ['sentence-similarity', 'embedding'],
  ['text-ranking', 'reranker'],
]);

/** The hub ignores the case of repository names. */
function isNotIn(entries: readonly CatalogEntry[]) {
  const repositories = new Set(entries.map(({ repository }) => repository.toLowerCase()));
  return ({ owner, name }: HubSearchResult): boolean =>
    !repositories.has(`${owner}/${name}`.toLowerCase());
}
