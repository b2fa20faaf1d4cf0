/** The parts of the name of a GGUF file, following the conventions of publishers. */
export interface ModelFileName {
  /** The name without extension, part number and quantization; may be empty. */
  readonly base: string;
  /** In upper case, such as `Q4_K_M`; null if the name has none. */
  readonly quantization: string | null;
  /** Part number of a split model, such as `model-00002-of-00003.gguf`, from 1. */
  readonly part: { readonly number: number; readonly count: number } | null;
  /** True if it is a vision or audio projector that belongs to a model beside it. */
  readonly isProjector: boolean;
}

const partSuffix = /-(\d{5})-of-(\d{5})$/;
const projectorWord = /(?:^|[-_.])mmproj(?=[-_.]|$)/i;
const quantizationSuffix =
  /(?:^|[-_.])(?:UD[-_.])?((?:I?Q\d{1,2}|TQ\d)(?:_[0-9A-Z]{1,4}){1,3}|MXFP4|NVFP4|BF16|FP?16|FP?32)$/i;

/** Reads `Qwen3-8B-Q4_K_M-00001-of-00002.gguf` as base `Qwen3-8B`, `Q4_K_M`, part 1 of 2. */
export function parseModelFileName(fileName: string): ModelFileName {
  let rest = fileName.replace(/\.gguf$/i, '');
  const part = partSuffix.exec(rest);
  if (part !== null) rest = rest.slice(0, part.index);
  const isProjector = projectorWord.test(rest);
  if (isProjector) rest = rest.replace(projectorWord, '').replace(/^[-_.]/, '');
  const quantization = quantizationSuffix.exec(rest);
  if (quantization !== null) rest = rest.slice(0, quantization.index);
  return {
    base: rest,
    quantization: quantization?.[1]?.toUpperCase().replace(/^FP/, 'F') ?? null,
    part: part === null ? null : { number: Number(part[1]), count: Number(part[2]) },
    isProjector,
  };
}
