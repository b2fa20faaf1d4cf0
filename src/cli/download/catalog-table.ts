import type { MemoryFit } from '../../api/v1/models/memory-schema.ts';
import type { CatalogModelRecord } from '../../api/v1/models/catalog-schema.ts';
import { formatBytes, formatCount } from '../../kernel/format.ts';
import { writeTable } from '../ui/table.ts';
import type { TerminalStream } from '../ui/terminal.ts';

const texts: Readonly<Record<MemoryFit, string>> = {
  fits: 'yes',
  partly: 'not now',
  too_large: 'no',
};

/** Tells how well a model fits into memory; `-` if unknown. */
export function describeFit(fit: MemoryFit | undefined): string {
  return fit === undefined ? '-' : texts[fit];
}

const downloadsColumn = {
  title: 'DOWNLOADS',
  dropOrder: 3,
  value: ([, { downloads }]: readonly [number, CatalogModelRecord]) =>
    downloads === undefined ? '-' : formatCount(downloads),
  isNumber: true,
};

const fitsColumn = {
  title: 'FITS',
  dropOrder: 0,
  value: ([, { fits }]: readonly [number, CatalogModelRecord]) => describeFit(fits),
};

/** Writes the models of the catalog, numbered from 1. */
export function writeCatalog(stream: TerminalStream, models: readonly CatalogModelRecord[]): void {
  const hasDownloadCounts = models.some(({ downloads }) => downloads !== undefined);
  const hasFits = models.some(({ fits }) => fits !== undefined);
  writeTable<readonly [number, CatalogModelRecord]>(
    stream,
    [
      { title: '#', value: ([number]) => String(number), isNumber: true },
      { title: 'MODEL', value: ([, { id }]) => id },
      { title: 'TYPE', dropOrder: 1, value: ([, { type }]) => type ?? '-' },
      ...(hasFits ? [fitsColumn] : []),
      {
        title: 'SIZE',
        dropOrder: 4,
        value: ([, { size_bytes: size }]) => (size === undefined ? '-' : formatBytes(size)),
        isNumber: true,
      },
      ...(hasDownloadCounts ? [downloadsColumn] : []),
      {
        title: 'FROM',
        dropOrder: 2,
        value: ([, { source, gated }]) => `${source}${gated ? ' (gated)' : ''}`,
      },
      {
        title: 'DESCRIPTION',
        value: ([, { description, license }]) => description ?? license ?? '',
        isTruncated: true,
      },
    ],
    models.map((model, index) => [index + 1, model] as const),
  );
}
