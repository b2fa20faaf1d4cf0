/** Reads a metadata value by its key without the architecture's prefix. */
export type ReadHeader = (name: string) => unknown;

/** Returns a whole number that fits a signed 32-bit integer, the engine's limit; otherwise null. */
export function headerCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
    ? value
    : null;
}

/** Value for a layer, from a key that has one value for all layers or one for each. */
export function layerValue(value: unknown, layer: number): unknown {
  return Array.isArray(value) ? value[layer] : value;
}

/** The largest value of a key that has one value for all layers or one for each; 0 if the key is missing. */
export function maxCount(value: unknown): number {
  const all = Array.isArray(value) ? value : [value];
  return all.reduce((largest: number, one) => Math.max(largest, headerCount(one) ?? 0), 0);
}
