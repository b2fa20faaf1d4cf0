import { modelName } from '../library-model.ts';
import { catalogEntries, type CatalogEntry } from './catalog-entries.ts';

/** The well-known models: the list that ships with Hearth or a newer one that replaced it. */
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

  /** Finds an entry by its id, ignoring case; undefined if there is none. */
  find(id: string): CatalogEntry | undefined {
    const wanted = id.toLowerCase();
    return this.#entries.find((entry) => entry.id === wanted);
  }

  /** Finds the entry of a model in the library by the model's key, which is derived from the repository. */
  findKey(key: string): CatalogEntry | undefined {
    return this.#entries.find(({ repository }) => modelName(repository).toLowerCase() === key);
  }

  /** Finds the entries that contain every word in their id, repository, type or description. Without words, returns all. */
  search(words: string): readonly CatalogEntry[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#entries.filter(({ id, repository, type, description }) => {
      const text = [id, repository, type, description].join('\n').toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }
}
