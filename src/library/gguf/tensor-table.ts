import { partOf } from './weight-sizes.ts';
import { ggufLimits, type WindowReader } from './window-reader.ts';

/** How a tensor type packs its elements. */
interface TensorType {
  readonly name: string;
  readonly elementsPerBlock: number;
  readonly bytesPerBlock: number;
}

/** By the type's number in the file (`ggml_type` in ggml.h; block sizes in ggml-common.h). */
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

/** Totals of the tensors of a file. */
export interface TensorTotals {
  readonly parameterCount: number;
  readonly bytes: number;
  /** Bytes of each tensor type, by the type's name, such as `Q4_K`. */
  readonly bytesByType: ReadonlyMap<string, number>;
  /** Bytes of each part of the model, by the names that `partOf` returns. */
  readonly bytesByPart: ReadonlyMap<string, number>;
  /** True if there is a classification head, as in rerankers. */
  readonly hasClassifier: boolean;
}

/** Dimensions of a tensor, the fastest varying one first. */
export type TensorShape = readonly number[];

interface TensorTable extends TensorTotals {
  /** End of the last tensor, relative to the start of the tensor data. */
  readonly endOffset: number;
  /** By the name of the tensor; empty unless shapes are kept. Names that the engine can't read are left out. */
  readonly shapes: ReadonlyMap<string, TensorShape>;
}

/** Names that llama.cpp gives the layers of a classification head. */
const classifierNames: ReadonlySet<string> = new Set(['cls.weight', 'cls.output.weight']);
/** `GGML_MAX_NAME` of ggml.h, with its zero byte. */
const maxTensorName = 63;

/**
 * Reads the descriptions of the tensors within `ggufLimits`, and returns totals.
 *
 * @param keepsShapes Also returns the shapes.
 */
export async function readTensorTable(
  reader: WindowReader,
  tensorCount: number,
  { alignment, keepsShapes }: { readonly alignment: number; readonly keepsShapes: boolean },
): Promise<TensorTable> {
  const bytesByType = new Map<string, number>();
  const bytesByPart = new Map<string, number>();
  const shapes = new Map<string, TensorShape>();
  let parameterCount = 0;
  let bytes = 0;
  let endOffset = 0;
  let hasClassifier = false;
  for (let index = 0; index < tensorCount; index += 1) {
    const tensor = await readTensor(reader, alignment);
    if (keepsShapes && tensor.name !== '') shapes.set(tensor.name, tensor.shape);
    bytesByType.set(tensor.type, (bytesByType.get(tensor.type) ?? 0) + tensor.bytes);
    const part = partOf(tensor.name);
    bytesByPart.set(part, (bytesByPart.get(part) ?? 0) + tensor.bytes);
    hasClassifier ||= classifierNames.has(tensor.name);
    parameterCount += tensor.elements;
    bytes += tensor.bytes;
    endOffset = Math.max(endOffset, tensor.offset + tensor.bytes);
  }
  if (bytes > endOffset) throw reader.fault('has tensors that overlap');
  return { parameterCount, bytes, bytesByType, bytesByPart, hasClassifier, endOffset, shapes };
}

/** The name of a tensor; empty if the engine can't read it. */
async function readName(reader: WindowReader, nameBytes: number): Promise<string> {
  if (nameBytes > maxTensorName) {
    reader.skip(nameBytes);
    return '';
  }
  if (reader.buffered < nameBytes) await reader.need(nameBytes);
  return reader.readText(nameBytes);
}

interface TensorEntry {
  readonly name: string;
  readonly shape: TensorShape;
  readonly type: string;
  readonly elements: number;
  readonly bytes: number;
  readonly offset: number;
}

async function readTensor(reader: WindowReader, alignment: number): Promise<TensorEntry> {
  if (reader.buffered < 8) await reader.need(8);
  const nameBytes = reader.readUint64();
  if (nameBytes > ggufLimits.tensorNameBytes)
    throw reader.fault(`has a tensor name of ${nameBytes} bytes`);
  const name = await readName(reader, nameBytes);
  if (reader.buffered < 4) await reader.need(4);
  const dimensions = reader.readUint32();
  if (dimensions > ggufLimits.dimensions)
    throw reader.fault(`has a tensor of ${dimensions} dimensions`);
  const rest = dimensions * 8 + 12;
  if (reader.buffered < rest) await reader.need(rest);

  const shape = Array.from({ length: dimensions }, () => reader.readUint64());
  const [rowElements = 1] = shape;
  const elements = shape.reduce((product, size) => product * size, 1);
  const typeNumber = reader.readUint32();
  const type = tensorTypes[typeNumber];
  if (type === undefined) throw reader.fault(`has tensors of the unknown type ${typeNumber}`);
  if (rowElements % type.elementsPerBlock !== 0)
    throw reader.fault(
      `has a tensor with rows of ${rowElements} elements, not whole ${type.name} blocks`,
    );
  const bytes = (elements / type.elementsPerBlock) * type.bytesPerBlock;
  const offset = reader.readUint64();
  if (!Number.isSafeInteger(bytes + offset)) throw reader.fault('has a tensor of impossible size');
  if (offset % alignment !== 0)
    throw reader.fault(`has a tensor at the unaligned offset ${offset}`);
  return { name, shape, type: type.name, elements, bytes, offset };
}
