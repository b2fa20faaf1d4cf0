import { catalogEntries, type CatalogEntry } from './catalog-entries.ts';

/** The entry of this id, in either case; undefined where there is none. */
export function findInCatalog(id: string): CatalogEntry | undefined {
  const wanted = id.toLowerCase();
  return catalogEntries.find((entry) => entry.id === wanted);
}

/** Entries that hold every word in their id, repository, type or description; all of them for no word. */
export function searchCatalog(words: string): readonly CatalogEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return catalogEntries.filter(({ id, repository, type, description }) => {
    const text = [id, repository, type, description].join('\n').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
