import { tensorTypes } from '../../../src/library/gguf/tensor-table.ts';

/** A whole number is written as u32; `{ float }`, `{ uint64 }` and `{ int32s }` choose another type. */
export type GgufTestValue =
  | string
  | boolean
  | number
  | { readonly float: number }
  | { readonly uint64: bigint }
  | { readonly int32s: readonly number[] }
  | readonly string[]
  | readonly number[]
  | readonly boolean[];

export interface GgufTestTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Number of a ggml type; see `tensor-table.ts`. */
  readonly type: number;
  /** Values of a tensor; zeros if absent. They are stored as 16-bit floats if all are 0 or 1, otherwise as 32-bit floats. */
  readonly values?: Float32Array;
}

export interface GgufTestFile {
  readonly metadata: Readonly<Record<string, GgufTestValue>>;
  readonly tensors?: readonly GgufTestTensor[];
  readonly version?: number;
}

const alignment = 32;
/** The number 1 as a 16-bit float. */
const halfOne = 0x3c00;
/** Position of the metadata count in the header. */
const countPosition = 16;
const someTensors: readonly GgufTestTensor[] = [
  { name: 'token_embd.weight', shape: [32, 4], type: 1 },
];

/** Metadata of a language model that the library accepts, to extend or change. */
export const plainModel = {
  'general.architecture': 'llama',
  'llama.context_length': 2048,
  'llama.embedding_length': 64,
  'llama.block_count': 2,
  'llama.attention.head_count': 4,
} as const;

/** Creates a GGUF file in memory: header, padding, and tensor data. */
export function writeGguf({ metadata, tensors = someTensors, version = 3 }: GgufTestFile): Buffer {
  const entries = Object.entries(metadata);
  const parts = [
    Buffer.from('GGUF'),
    uint32(version),
    uint64(tensors.length),
    uint64(entries.length),
  ];
  for (const [key, value] of entries) parts.push(text(key), typedValue(value));
  let dataBytes = 0;
  for (const tensor of tensors) {
    parts.push(text(tensor.name), uint32(tensor.shape.length), ...tensor.shape.map(uint64));
    parts.push(uint32(tensor.type), uint64(dataBytes));
    dataBytes = aligned(dataBytes + tensorBytes(tensor));
  }
  const header = Buffer.concat(parts);
  return Buffer.concat([
    header,
    Buffer.alloc(aligned(header.length) - header.length),
    ...tensors.map(tensorData),
  ]);
}

/** Copies a GGUF file and changes the number of one key, which must exist as u32. */
export function patchGgufNumber(file: Buffer, key: string, value: number): Buffer {
  const entry = Buffer.concat([text(key), uint32(4)]);
  const start = file.indexOf(entry);
  if (start === -1) throw new Error(`The file has no u32 ${key}.`);
  const patched = Buffer.from(file);
  patched.writeUInt32LE(value, start + entry.length);
  return patched;
}

/** Copies a GGUF file and adds metadata. */
export function addGgufEntries(
  file: Buffer,
  metadata: Readonly<Record<string, GgufTestValue>>,
): Buffer {
  const added = Object.entries(metadata).flatMap(([key, value]) => [text(key), typedValue(value)]);
  const filler = [text('test.filler'), uint32(8)];
  const length = Buffer.concat([...added, ...filler, uint64(0)]).length;
  // Padding keeps the tensors aligned.
  const entries = Buffer.concat([...added, ...filler, text(' '.repeat(aligned(length) - length))]);
  const counted = Buffer.from(file);
  const count = counted.readBigUInt64LE(countPosition);
  counted.writeBigUInt64LE(count + BigInt(Object.keys(metadata).length + 1), countPosition);
  const entriesStart = countPosition + 8;
  return Buffer.concat([
    counted.subarray(0, entriesStart),
    entries,
    counted.subarray(entriesStart),
  ]);
}

function tensorData(tensor: GgufTestTensor): Buffer {
  const data = Buffer.alloc(aligned(tensorBytes(tensor)));
  for (const [index, value] of (tensor.values ?? []).entries()) {
    if (tensor.type === 0) data.writeFloatLE(value, index * 4);
    else data.writeUInt16LE(value * halfOne, index * 2);
  }
  return data;
}

function tensorBytes({ shape, type }: GgufTestTensor): number {
  const layout = tensorTypes[type];
  if (layout === undefined) throw new Error(`There is no tensor type ${type}.`);
  const elements = shape.reduce((product, size) => product * size, 1);
  return (elements / layout.elementsPerBlock) * layout.bytesPerBlock;
}

function typedValue(value: GgufTestValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(8), text(value)]);
  if (typeof value === 'boolean') return Buffer.concat([uint32(7), Buffer.from([value ? 1 : 0])]);
  if (typeof value === 'number') return Buffer.concat([uint32(4), uint32(value)]);
  if ('float' in value) return Buffer.concat([uint32(6), float32(value.float)]);
  if ('uint64' in value) return Buffer.concat([uint32(10), uint64(value.uint64)]);
  if ('int32s' in value) {
    const { int32s } = value;
    return Buffer.concat([uint32(9), uint32(5), uint64(int32s.length), ...int32s.map(uint32)]);
  }
  const items = value.map(typedValue);
  const itemType = items[0]?.subarray(0, 4) ?? uint32(4);
  return Buffer.concat([
    uint32(9),
    itemType,
    uint64(items.length),
    ...items.map((item) => item.subarray(4)),
  ]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function aligned(size: number): number {
  return Math.ceil(size / alignment) * alignment;
}
