const maxShownLength = 80;

/** Quotes a text for a message, and shortens it if it is long. */
export function shorten(text: string): string {
  const isLong = text.length > maxShownLength;
  return isLong ? `${JSON.stringify(text.slice(0, maxShownLength))}…` : JSON.stringify(text);
}

/** A short description of a JSON value for a message. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    const length = value.length > maxShownLength ? ` (${value.length} characters)` : '';
    return shorten(value) + length;
  }
  if (Array.isArray(value)) {
    return value.length === 1 ? 'an array of 1 item' : `an array of ${value.length} items`;
  }
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
