// `toLocaleString` creates such a format for each call.
const format = new Intl.NumberFormat('en');

/** A number with separators: `1,234.5`. */
export function formatNumber(number: number): string {
  return format.format(number);
}
