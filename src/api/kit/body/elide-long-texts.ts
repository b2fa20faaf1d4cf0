const maxTextLength = 16 * 1024;
/** Data URLs of images and files. */
const dataUrl = /^data:[\w.+/-]*;base64,/;
const secretFields = /^(?:headers|authorization|api_?key)$/i;
const maxValues = 10_000;

/** Copies JSON, replaces images and long texts with their length, and omits headers. */
export function elideLongTexts(value: unknown): unknown {
  let left = maxValues;
  const copy = (part: unknown): unknown => {
    left -= 1;
    if (left < 0) return '[elided]';
    if (typeof part === 'string') return elide(part);
    if (Array.isArray(part)) return part.slice(0, left + 1).map(copy);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, field]) => [
        name,
        secretFields.test(name) ? '[redacted]' : copy(field),
      ]),
    );
  };
  return copy(value);
}

function elide(text: string): string {
  const [prefix = ''] = dataUrl.exec(text) ?? [];
  const isLong = text.length > maxTextLength;
  if (prefix === '' && !isLong) return text;
  const kept = prefix === '' ? text.slice(0, maxTextLength) : prefix;
  return `${kept}[${text.length - kept.length} more characters]`;
}
