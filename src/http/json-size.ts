const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * How many values a JSON text holds, from above: commas and opening brackets outside of strings, plus one.
 * Stops counting beyond `limit`.
 */
export function countJsonValues(json: Uint8Array, limit: number): number {
  let count = 1;
  let isInString = false;
  for (let index = 0; index < json.length && count <= limit; index += 1) {
    const byte = json[index];
    if (byte === quote) isInString = !isInString;
    else if (isInString) index += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === openBracket || byte === openBrace) count += 1;
  }
  return count;
}
