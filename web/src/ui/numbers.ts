import { locale } from '../texts/language.ts';

// `toLocaleString` creates such a format for each call.
const whole = new Intl.NumberFormat(locale);
const oneDigit = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const compact = new Intl.NumberFormat(locale, { notation: 'compact' });

/** A number with separators: `1,234.5`. */
export const formatNumber = (number: number) => whole.format(number);
/** A number with one digit after the point: `41.0`. */
export const formatDecimal = (number: number) => oneDigit.format(number);
/** A large number in few characters: `1.2M`. */
export const formatCompact = (number: number) => compact.format(number);
