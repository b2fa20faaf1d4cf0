import { ggufLimits } from './limits.ts';
import { tensorTypes } from './tensor-types.ts';
import type { WindowReader } from './window-reader.ts';

/** Totals of the tensors of a file. */
export interface TensorTotals {
  readonly parameterCount: number;
  readonly bytes: number;
  /** Bytes of each tensor type, by its name such as `Q4_K`. */
  readonly bytesByType: ReadonlyMap<string, number>;
  /** Whether there is a classification head, as rerankers have it. */
  readonly hasClassifier: boolean;
}

interface TensorTable extends TensorTotals {
  /** End of the last tensor, counted from the start of the tensors' data. */
  readonly endOffset: number;
}

/** Names that llama.cpp gives the layers of a classification head. */
const classifierNames: ReadonlySet<string> = new Set(['cls.weight', 'cls.output.weight']);
const maxClassifierName = 'cls.output.weight'.length;

/** Reads the descriptions of the tensors within `ggufLimits`, and keeps only the totals. */
export async function readTensorTable(
  reader: WindowReader,
  tensorCount: number,
  alignment: number,
): Promise<TensorTable> {
  const bytesByType = new Map<string, number>();
  let parameterCount = 0;
  let bytes = 0;
  let endOffset = 0;
  let hasClassifier = false;
  for (let index = 0; index < tensorCount; index += 1) {
    const tensor = await readTensor(reader, alignment);
    bytesByType.set(tensor.type, (bytesByType.get(tensor.type) ?? 0) + tensor.bytes);
    hasClassifier ||= classifierNames.has(tensor.name);
    parameterCount += tensor.elements;
    bytes += tensor.bytes;
    endOffset = Math.max(endOffset, tensor.offset + tensor.bytes);
  }
  if (bytes > endOffset) throw reader.fault('has tensors that overlap');
  return { parameterCount, bytes, bytesByType, hasClassifier, endOffset };
}

/** The name of a tensor; empty if it is longer than those that matter. */
async function readName(reader: WindowReader, nameBytes: number): Promise<string> {
  if (nameBytes > maxClassifierName) {
    reader.skip(nameBytes);
    return '';
  }
  if (reader.buffered < nameBytes) await reader.need(nameBytes);
  return reader.readText(nameBytes);
}

async function readTensor(
  reader: WindowReader,
  alignment: number,
): Promise<{ name: string; type: string; elements: number; bytes: number; offset: number }> {
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

  let elements = 1;
  let rowElements = 1;
  for (let dimension = 0; dimension < dimensions; dimension += 1) {
    const size = reader.readUint64();
    if (dimension === 0) rowElements = size;
    elements *= size;
  }
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
  return { name, type: type.name, elements, bytes, offset };
}
