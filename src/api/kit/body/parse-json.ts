import { foldSeed } from '../../../engines/fold-seed.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Most strings end within this; a call of native code takes as long. */
const nearbyBytes = 64;

interface JsonSize {
  /** Upper bound of the number of values: commas and opening brackets outside of strings, plus one. */
  readonly valueCount: number;
  /** Upper bound of the number of fields in all objects: colons outside of strings. */
  readonly fieldCount: number;
  /** Largest number of brackets that are open at the same time. */
  readonly depth: number;
}

/** Measures a JSON text without parsing it, and stops as soon as a limit is exceeded. */
export function measureJson(json: Buffer, limits: JsonSize): JsonSize {
  let valueCount = 1;
  let fieldCount = 0;
  let open = 0;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) {
      index = endOfString(json, index + 1);
    } else if (byte === comma) {
      valueCount += 1;
    } else if (byte === colon) {
      fieldCount += 1;
    } else if (byte === openBracket || byte === openBrace) {
      valueCount += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === closeBracket || byte === closeBrace) {
      open -= 1;
    }
    if (valueCount > limits.valueCount || fieldCount > limits.fieldCount || depth > limits.depth) {
      break;
    }
  }
  return { valueCount, fieldCount, depth };
}

/** Index of the quote that ends the string; the length of the text if it does not end. */
function endOfString(json: Buffer, start: number): number {
  const nearby = Math.min(start + nearbyBytes, json.length);
  for (let index = start; index < nearby; index += 1) {
    if (json[index] === quote) return index;
    if (json[index] === backslash) index += 1;
  }
  // Native code searches the rest of a long string.
  let from = nearby;
  if (isEscaped(json, from, start)) from += 1;
  for (;;) {
    const found = json.indexOf(quote, from);
    if (found === -1) return json.length;
    if (!isEscaped(json, found, start)) return found;
    from = found + 1;
  }
}

/** True if an odd number of backslashes comes before this index. */
function isEscaped(json: Buffer, index: number, start: number): boolean {
  let first = index;
  while (first > start && json[first - 1] === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

/** An integer named "seed" that a number may not hold exactly. Strings contain no quote without a backslash before it. */
const longSeeds = /(?<!\\)("seed"\s*:\s*)(-?\d{16,20})(?![\d.eE])/g;

/**
 * Parses JSON. `seed` of the body or of its `options` may have 64 bits. A seed that a number can't
 * hold exactly becomes the engine's form of it, so that no bit is lost.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  const owners = ownersOfSeeds(parsed);
  if (!owners.some(hasLongSeed)) return parsed;
  // The second time, such seeds are texts.
  const exact = ownersOfSeeds(JSON.parse(text.replaceAll(longSeeds, '$1"$2"')));
  for (const [index, owner] of owners.entries()) {
    const seed = exact[index]?.['seed'];
    if (hasLongSeed(owner) && typeof seed === 'string') owner['seed'] = foldSeed(BigInt(seed));
  }
  return parsed;
}

/** The body, and its options. */
function ownersOfSeeds(body: unknown): readonly Record<string, unknown>[] {
  return isObject(body) ? [body, body['options']].filter(isObject) : [];
}

function hasLongSeed({ seed }: Readonly<Record<string, unknown>>): boolean {
  return typeof seed === 'number' && !Number.isSafeInteger(seed);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
