const scales = [
  { unit: 'T', size: 1e12 },
  { unit: 'B', size: 1e9 },
  { unit: 'M', size: 1e6 },
  { unit: 'K', size: 1e3 },
];

/** A number of parameters the way models are named: `135M`, `7.2B`, `70B`; null for zero. */
export function parameterLabel(parameterCount: number): string | null {
  const scale = scales.find(({ size }) => parameterCount >= size);
  if (scale === undefined) return parameterCount > 0 ? String(parameterCount) : null;
  const scaled = parameterCount / scale.size;
  return `${scaled < 9.95 ? Number(scaled.toFixed(1)) : Math.round(scaled)}${scale.unit}`;
}
