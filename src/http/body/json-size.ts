const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

interface JsonSize {
  /** Upper bound of the number of values: commas and opening brackets outside of strings, plus one. */
  readonly valueCount: number;
  /** Largest number of brackets that are open at the same time. */
  readonly depth: number;
}

/** Measures a JSON text without parsing it, and stops as soon as a limit is exceeded. */
export function measureJson(json: Uint8Array, limits: JsonSize): JsonSize {
  let valueCount = 1;
  let open = 0;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) {
      isInString = !isInString;
    } else if (isInString) {
      index += byte === backslash ? 1 : 0;
    } else if (byte === comma) {
      valueCount += 1;
    } else if (byte === openBracket || byte === openBrace) {
      valueCount += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === closeBracket || byte === closeBrace) {
      open -= 1;
    }
    if (valueCount > limits.valueCount || depth > limits.depth) break;
  }
  return { valueCount, depth };
}
