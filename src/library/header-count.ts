/** Looks up the metadata of an architecture by the key without the architecture's name. */
export type ReadHeader = (name: string) => unknown;

/** A whole number that fits a signed 32-bit integer, the engine's limit; else null. */
export function headerCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
    ? value
    : null;
}

/** Value of a key that has one value for all layers or one for each. */
export function layerValue(value: unknown, layer: number): unknown {
  return Array.isArray(value) ? value[layer] : value;
}

/** The largest value of a key that has one value for all layers or one for each; 0 if it has none. */
export function maxCount(value: unknown): number {
  const all = Array.isArray(value) ? value : [value];
  return all.reduce((largest: number, one) => Math.max(largest, headerCount(one) ?? 0), 0);
}
