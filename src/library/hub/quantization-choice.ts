/**
 * The quantizations in order of preference if a request names none: Q4_K_M, then others with 4 bits, then more bits
 * up to 8, since quality matters more than size; then 3 bits, then unquantized, then those that lose too much quality.
 */
const preference: readonly string[] = [
  'Q4_K_M Q4_K_L Q4_K_XL Q4_K_S Q4_K IQ4_NL IQ4_XS Q4_0 MXFP4 NVFP4 Q4_1',
  'Q5_K_M Q5_K_L Q5_K_XL Q5_K_S Q5_K Q5_0 Q5_1',
  'Q6_K Q6_K_L Q6_K_XL',
  'Q8_0 Q8_K_XL',
  'Q3_K_L Q3_K_XL Q3_K_M IQ3_M IQ3_S Q3_K_S Q3_K IQ3_XS IQ3_XXS',
  'BF16 F16 F32',
  'Q2_K_L Q2_K_XL Q2_K IQ2_M IQ2_S Q2_K_S IQ2_XS IQ2_XXS TQ2_0',
  'IQ1_M IQ1_S TQ1_0',
].flatMap((labels) => labels.split(' '));

/** Sorting number for the choice of a default; unknown and missing labels come last. */
export function defaultRank(label: string | null): number {
  if (label === null) return preference.length + 1;
  const index = preference.indexOf(label.replace(/^UD-/, ''));
  return index === -1 ? preference.length : index;
}

/** Normalizes a label from a user for comparison with file names: `fp16` is `F16`. */
export function normalizeLabel(label: string): string {
  return label
    .trim()
    .toUpperCase()
    .replace(/^UD[_.]/, 'UD-')
    .replace(/^FP(?=\d)/, 'F');
}
