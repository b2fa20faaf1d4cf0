import type { CatalogModelRecord } from '../../../src/api/v1/models/catalog-schema.ts';
import { modelsTexts } from '../texts/models.ts';
import { Badge } from '../ui/badge.tsx';

/** Warns about a license that may restrict the use of a model. */
export function LicenseBadge({
  model,
}: {
  readonly model: Pick<CatalogModelRecord, 'license_has_conditions'>;
}) {
  if (model.license_has_conditions !== true) return null;
  return <Badge tone="warn">{modelsTexts.search.conditions}</Badge>;
}
