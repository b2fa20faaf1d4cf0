/** How a tensor type packs its elements. */
interface TensorType {
  readonly name: string;
  readonly elementsPerBlock: number;
  readonly bytesPerBlock: number;
}

/** By their number in the file (`ggml_type` in ggml.h; sizes of the blocks in ggml-common.h). */
export const tensorTypes: Readonly<Record<number, TensorType>> = {
  0: { name: 'F32', elementsPerBlock: 1, bytesPerBlock: 4 },
  1: { name: 'F16', elementsPerBlock: 1, bytesPerBlock: 2 },
  2: { name: 'Q4_0', elementsPerBlock: 32, bytesPerBlock: 18 },
  3: { name: 'Q4_1', elementsPerBlock: 32, bytesPerBlock: 20 },
  6: { name: 'Q5_0', elementsPerBlock: 32, bytesPerBlock: 22 },
  7: { name: 'Q5_1', elementsPerBlock: 32, bytesPerBlock: 24 },
  8: { name: 'Q8_0', elementsPerBlock: 32, bytesPerBlock: 34 },
  9: { name: 'Q8_1', elementsPerBlock: 32, bytesPerBlock: 36 },
  10: { name: 'Q2_K', elementsPerBlock: 256, bytesPerBlock: 84 },
  11: { name: 'Q3_K', elementsPerBlock: 256, bytesPerBlock: 110 },
  12: { name: 'Q4_K', elementsPerBlock: 256, bytesPerBlock: 144 },
  13: { name: 'Q5_K', elementsPerBlock: 256, bytesPerBlock: 176 },
  14: { name: 'Q6_K', elementsPerBlock: 256, bytesPerBlock: 210 },
  15: { name: 'Q8_K', elementsPerBlock: 256, bytesPerBlock: 292 },
  16: { name: 'IQ2_XXS', elementsPerBlock: 256, bytesPerBlock: 66 },
  17: { name: 'IQ2_XS', elementsPerBlock: 256, bytesPerBlock: 74 },
  18: { name: 'IQ3_XXS', elementsPerBlock: 256, bytesPerBlock: 98 },
  19: { name: 'IQ1_S', elementsPerBlock: 256, bytesPerBlock: 50 },
  20: { name: 'IQ4_NL', elementsPerBlock: 32, bytesPerBlock: 18 },
  21: { name: 'IQ3_S', elementsPerBlock: 256, bytesPerBlock: 110 },
  22: { name: 'IQ2_S', elementsPerBlock: 256, bytesPerBlock: 82 },
  23: { name: 'IQ4_XS', elementsPerBlock: 256, bytesPerBlock: 136 },
  24: { name: 'I8', elementsPerBlock: 1, bytesPerBlock: 1 },
  25: { name: 'I16', elementsPerBlock: 1, bytesPerBlock: 2 },
  26: { name: 'I32', elementsPerBlock: 1, bytesPerBlock: 4 },
  27: { name: 'I64', elementsPerBlock: 1, bytesPerBlock: 8 },
  28: { name: 'F64', elementsPerBlock: 1, bytesPerBlock: 8 },
  29: { name: 'IQ1_M', elementsPerBlock: 256, bytesPerBlock: 56 },
  30: { name: 'BF16', elementsPerBlock: 1, bytesPerBlock: 2 },
  34: { name: 'TQ1_0', elementsPerBlock: 256, bytesPerBlock: 54 },
  35: { name: 'TQ2_0', elementsPerBlock: 256, bytesPerBlock: 66 },
  39: { name: 'MXFP4', elementsPerBlock: 32, bytesPerBlock: 17 },
  40: { name: 'NVFP4', elementsPerBlock: 64, bytesPerBlock: 36 },
  41: { name: 'Q1_0', elementsPerBlock: 128, bytesPerBlock: 18 },
};
