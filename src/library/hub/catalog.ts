import { modelName } from '../library-model.ts';
import { catalogEntries, type CatalogEntry } from './catalog-entries.ts';

/** Finds an entry by its id, in any case; undefined if there is none. */
export function findInCatalog(id: string): CatalogEntry | undefined {
  const wanted = id.toLowerCase();
  return catalogEntries.find((entry) => entry.id === wanted);
}

/** Finds the entry of a model of the library by its key, which a download derives from the repository. */
export function findKeyInCatalog(key: string): CatalogEntry | undefined {
  return catalogEntries.find(({ repository }) => modelName(repository).toLowerCase() === key);
}

/** Finds the entries that contain every word in their id, repository, type or description; all entries without words. */
export function searchCatalog(words: string): readonly CatalogEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return catalogEntries.filter(({ id, repository, type, description }) => {
    const text = [id, repository, type, description].join('\n').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
