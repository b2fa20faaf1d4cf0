import { locale } from '../texts/language.ts';

// Created once, since `toLocaleString` creates a formatter for each call.
const whole = new Intl.NumberFormat(locale);
const oneDigit = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const compact = new Intl.NumberFormat(locale, { notation: 'compact' });

/** Formats a number with separators: `1,234.5`. */
export const formatNumber = (number: number) => whole.format(number);
/** Formats a number with one decimal: `41.0`. */
export const formatDecimal = (number: number) => oneDigit.format(number);
/** Formats a large number in few characters: `1.2M`. */
export const formatCompact = (number: number) => compact.format(number);
