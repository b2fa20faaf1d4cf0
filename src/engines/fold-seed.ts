/** Seeds of the engine. The largest number of 32 bits is not one: to llama.cpp it means a random seed. */
const seedCount = 2 ** 32 - 1;

/**
 * The engine's seed for any integer: clients send 64 bits. Seeds that the engine has stay, as does -1 (random). Equal
 * seeds give equal results.
 */
export function foldSeed(seed: number | bigint): number {
  if (seed >= -1 && seed < seedCount) return Number(seed);
  const divisor = BigInt(seedCount);
  return Number(((BigInt(seed) % divisor) + divisor) % divisor);
}
