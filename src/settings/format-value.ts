/** A value as flags and variables have it: items of a list with commas between, an object as JSON. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
