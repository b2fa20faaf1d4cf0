import { expect, it } from 'vitest';
import type { CatalogModelRecord } from '../../../../../src/api/v1/models/catalog-schema.ts';
import { filterModels, noFilter, type CatalogFilter } from './filter-models.ts';

const models: readonly CatalogModelRecord[] = [
  { id: 'small', source: 'catalog', type: 'llm', size_bytes: 10, fits: 'fits', downloads: 5 },
  { id: 'huge', source: 'catalog', type: 'llm', size_bytes: 99, fits: 'too_large', downloads: 9 },
  { id: 'eyes', source: 'catalog', type: 'vlm', size_bytes: 20, fits: 'partly' },
  { id: 'found', source: 'hub', updated_at: '2026-10-01T00:00:00.000Z', downloads: 7 },
].map(
  (model) => ({ repository: 'a/b', url: 'https://hub.test/a/b', ...model }) as CatalogModelRecord,
);

const idsOf = (filter: Partial<CatalogFilter>) =>
  filterModels(models, { ...noFilter, ...filter }).map(({ id }) => id);

it('keeps the order of the server without a filter', () => {
  expect(idsOf({})).toEqual(['small', 'huge', 'eyes', 'found']);
});

it('filters by type, source and memory; the hub does not tell type and size', () => {
  expect(idsOf({ type: 'vlm' })).toEqual(['eyes', 'found']);
  expect(idsOf({ source: 'hub' })).toEqual(['found']);
  expect(idsOf({ isFitOnly: true })).toEqual(['small', 'found']);
});

it('orders; what is unknown comes last', () => {
  expect(idsOf({ order: 'size' })).toEqual(['small', 'eyes', 'huge', 'found']);
  expect(idsOf({ order: 'downloads' })).toEqual(['huge', 'found', 'small', 'eyes']);
  expect(idsOf({ order: 'updated' })[0]).toBe('found');
});
