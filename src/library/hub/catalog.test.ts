import { expect, it } from 'vitest';
import { catalogEntries } from './catalog-entries.ts';
import { Catalog } from './catalog.ts';
import { parseRepositoryName } from './repository-name.ts';

const catalog = new Catalog();

it('has models of each type, with complete entries whose ids do not look like repositories', () => {
  expect(new Set(catalogEntries.map(({ type }) => type))).toStrictEqual(
    new Set(['llm', 'vlm', 'embedding', 'reranker']),
  );
  expect(new Set(catalogEntries.map(({ id }) => id)).size).toBe(catalogEntries.length);
  for (const entry of catalogEntries) {
    expect(entry.id).toMatch(/^[a-z\d][a-z\d.-]+$/);
    expect(parseRepositoryName(entry.repository)).not.toBeNull();
    expect(entry.description).toMatch(/^[A-Z].*\.$/);
  }
});

it('finds entries by id and by words', () => {
  expect(catalog.find('QWEN3-4B')?.repository).toBe('Qwen/Qwen3-4B-GGUF');
  expect(catalog.find('nothing')).toBeUndefined();
  expect(catalog.findKey('nomic-ai/nomic-embed-text-v1.5')?.minDimensions).toBe(64);
  expect(catalog.findKey('nomic-ai/nothing')).toBeUndefined();
  expect(catalog.search('embedding  nomic').map(({ id }) => id)).toStrictEqual([
    'nomic-embed-text-v1.5',
  ]);
  expect(catalog.search('nothing like it')).toStrictEqual([]);
  expect(catalog.search(' ')).toHaveLength(catalogEntries.length);
});
