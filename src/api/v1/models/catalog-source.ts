import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import {
  type CatalogStateRecord,
  getCatalog,
  refreshCatalog,
  resetCatalog,
  setCatalogSource,
} from './catalog-source-schema.ts';

export function mountCatalogSource(app: App, { catalog, catalogSource }: ApiServices): void {
  const toRecord = (): CatalogStateRecord => {
    const { origin, version, checkedAt } = catalogSource.state();
    return {
      ...omitUndefined({ source: origin, version, checked_at: checkedAt?.toISOString() }),
      model_count: catalog.list().length,
    };
  };

  mount(app, getCatalog, async () => toRecord());

  mount(app, setCatalogSource, async ({ body, context }) => {
    await catalogSource.set(body, context.signal);
    return toRecord();
  });

  mount(app, refreshCatalog, async ({ context }) => {
    await catalogSource.refresh(context.signal);
    return toRecord();
  });

  mount(app, resetCatalog, async () => {
    await catalogSource.reset();
    return toRecord();
  });
}
