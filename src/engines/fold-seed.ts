/** Number of fixed seeds. The largest 32-bit number is not one of them: it makes llama.cpp choose a random seed. */
const seedCount = 2 ** 32 - 1;

/**
 * Maps any integer to a seed of the engine, since clients send 64-bit seeds. Equal seeds are mapped to equal seeds.
 * Integers from -1 (random) to 2^32 - 2 stay unchanged.
 */
export function foldSeed(seed: number | bigint): number {
  if (seed >= -1 && seed < seedCount) return Number(seed);
  const divisor = BigInt(seedCount);
  return Number(((BigInt(seed) % divisor) + divisor) % divisor);
}
