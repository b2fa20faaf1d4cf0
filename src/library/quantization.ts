/** Names of quantizations in headers and file names, and their order of preference. */

/** By number of `general.file_type` (`llama_ftype` in llama.h). */
const fileTypeNames: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4',
  39: 'NVFP4',
  40: 'Q1_0',
};

/** Flag that a writer adds to `general.file_type` if it guessed the value. */
const guessedFlag = 1024;

/**
 * Returns the quantization of a GGUF. The file's name refines the header's value if both have the same number of bits
 * (`Q4_K_XL` is `Q4_K_M` in the header). Without a value in the header, returns the tensor type with the most bytes.
 */
export function quantizationName(
  fileType: number | null,
  bytesByType: ReadonlyMap<string, number>,
  nameInFileName: string | null,
): string | null {
  const inHeader = fileType === null ? undefined : fileTypeNames[fileType % guessedFlag];
  const known = inHeader ?? largestType(bytesByType);
  if (nameInFileName === null) return known;
  return known === null || width(known) === width(nameInFileName) ? nameInFileName : known;
}

function largestType(bytesByType: ReadonlyMap<string, number>): string | null {
  let largest: string | null = null;
  for (const [name, bytes] of bytesByType)
    if (largest === null || bytes > (bytesByType.get(largest) ?? 0)) largest = name;
  return largest;
}

/** The number of bits in a quantization's name: 4 in `IQ4_XS`, 16 in `BF16`. */
function width(name: string): string | undefined {
  return /\d+/.exec(name.replace('MXFP', 'Q').replace('NVFP', 'Q'))?.[0];
}

/** Most preferred first: the most common quantization, then better ones, then smaller ones. */
const preference = [
  /^Q4_K_M$/,
  /^Q4_K/,
  /^(MXFP4|NVFP4|Q4_|4bit)/,
  /^IQ4_/,
  /^Q5_/,
  /^Q6_/,
  /^(Q8_|8bit)/,
  /^(BF16|F16)$/,
  /^F32$/,
  /^I?Q3_/,
  /^I?Q2_/,
];

/** Rank of a quantization; the lowest one is the default variant of a model. */
export function quantizationRank(name: string | null): number {
  const rank = preference.findIndex((pattern) => name !== null && pattern.test(name));
  return rank === -1 ? preference.length : rank;
}
