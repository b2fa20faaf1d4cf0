import { foldSeed } from '../../../engines/fold-seed.ts';

/** An integer named "seed" that a number may not hold exactly. Strings contain no quote without a backslash before it. */
const longSeeds = /(?<!\\)("seed"\s*:\s*)(-?\d{16,20})(?![\d.eE])/g;

/**
 * Parses JSON. `seed` of the body, or of its `options`, may have 64 bits: one that a number can't hold exactly becomes
 * the engine's seed for it, so that no bit is lost.
 *
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
