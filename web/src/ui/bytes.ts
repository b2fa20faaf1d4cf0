import { locale } from '../texts/language.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map(
  (unit, index) =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit,
      ...(index === 0 ? {} : { minimumSignificantDigits: 3, maximumSignificantDigits: 3 }),
    }),
);

/** Formats a size with three digits: `1.25 GB`. Units are powers of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return units[unit]?.format(value) ?? '';
}
