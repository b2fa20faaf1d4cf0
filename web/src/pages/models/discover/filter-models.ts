import type { CatalogModelRecord } from '../../../../../src/api/v1/models/catalog-schema.ts';

export interface CatalogFilter {
  readonly type: 'all' | 'llm' | 'vlm' | 'embedding';
  readonly source: 'all' | 'catalog' | 'hub' | 'modelscope';
  readonly isFitOnly: boolean;
  readonly order: 'best' | 'downloads' | 'updated' | 'size';
}

export const noFilter: CatalogFilter = {
  type: 'all',
  source: 'all',
  isFitOnly: false,
  order: 'best',
};

/** The models that match a filter, sorted by its order. Models with unknown values match, and come last. */
export function filterModels(
  models: readonly CatalogModelRecord[],
  { type, source, isFitOnly, order }: CatalogFilter,
): readonly CatalogModelRecord[] {
  const passed = models.filter(
    (model) =>
      (type === 'all' || (model.type ?? type) === type) &&
      (source === 'all' || model.source === source) &&
      (!isFitOnly || (model.fits ?? 'fits') === 'fits'),
  );
  if (order === 'best') return passed;
  return passed.toSorted((one, other) => rank(one, order) - rank(other, order));
}

function rank(model: CatalogModelRecord, order: 'downloads' | 'updated' | 'size'): number {
  if (order === 'downloads') return -(model.downloads ?? -1);
  if (order === 'updated') return -Date.parse(model.updated_at ?? '1970-01-01');
  return model.size_bytes ?? Number.MAX_SAFE_INTEGER;
}
