import { modelName } from '../library-model.ts';
import { catalogEntries, type CatalogEntry } from './catalog-entries.ts';

/** The well-known models: the list that ships with Hearth, until a newer one replaces it. */
export class Catalog {
  #entries: readonly CatalogEntry[];

  constructor(entries: readonly CatalogEntry[] = catalogEntries) {
    this.#entries = entries;
  }

  /** All entries. */
  list(): readonly CatalogEntry[] {
    return this.#entries;
  }

  replace(entries: readonly CatalogEntry[]): void {
    this.#entries = entries;
  }

  /** Finds an entry by its id, in any case; undefined if there is none. */
  find(id: string): CatalogEntry | undefined {
    const wanted = id.toLowerCase();
    return this.#entries.find((entry) => entry.id === wanted);
  }

  /** Finds the entry of a model of the library by its key, which a download derives from the repository. */
  findKey(key: string): CatalogEntry | undefined {
    return this.#entries.find(({ repository }) => modelName(repository).toLowerCase() === key);
  }

  /** Finds the entries that contain every word in their id, repository, type or description; all entries without words. */
  search(words: string): readonly CatalogEntry[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#entries.filter(({ id, repository, type, description }) => {
      const text = [id, repository, type, description].join('\n').toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }
}
