import { readFile } from 'node:fs/promises';

/** Metadata and tensors of a whole GGUF file, for conversions; the library reads only headers. */
export interface GgufContent {
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly tensors: readonly GgufTensor[];
}

interface GgufTensor {
  readonly name: string;
  /** Innermost dimension last, unlike in GGUF. */
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const alignment = 32;
const f32 = 0;
const q8 = 8;
const valuesPerBlock = 32;
const bytesPerBlock = 34;

/** Reads a file whose tensors are F32 or Q8_0 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
export async function readGguf(path: string): Promise<GgufContent> {
  const reader = new Reader(await readFile(path));
  reader.skip(8);
  const tensorCount = reader.uint64();
  const entryCount = reader.uint64();
  const metadata = new Map<string, unknown>();
  for (let index = 0; index < entryCount; index += 1) {
    const key = reader.text();
    metadata.set(key, reader.value(reader.uint32()));
  }
  const infos = Array.from({ length: tensorCount }, () => {
    const name = reader.text();
    const dimensions = Array.from({ length: reader.uint32() }, () => reader.uint64());
    return { name, shape: dimensions.toReversed(), type: reader.uint32(), offset: reader.uint64() };
  });
  const start = Math.ceil(reader.position / alignment) * alignment;
  const tensors = infos.map(({ name, shape, type, offset }) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return { name, shape, values: reader.tensor(start + offset, count, type) };
  });
  return { metadata, tensors };
}

class Reader {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(count: number): void {
    this.position += count;
  }

  uint32(): number {
    this.position += 4;
    return this.#bytes.readUInt32LE(this.position - 4);
  }

  uint64(): number {
    this.position += 8;
    return Number(this.#bytes.readBigUInt64LE(this.position - 8));
  }

  text(): string {
    const length = this.uint64();
    this.position += length;
    return this.#bytes.toString('utf8', this.position - length, this.position);
  }

  /** @param type Number of a GGUF value type. */
  value(type: number): unknown {
    switch (type) {
      case 8:
        return this.text();
      case 9: {
        const itemType = this.uint32();
        return Array.from({ length: this.uint64() }, () => this.value(itemType));
      }
      default:
        return this.#number(type);
    }
  }

  tensor(start: number, count: number, type: number): Float32Array {
    const values = new Float32Array(count);
    if (type === f32) {
      for (let index = 0; index < count; index += 1) {
        values[index] = this.#bytes.readFloatLE(start + index * 4);
      }
      return values;
    }
    if (type !== q8) throw new Error(`tensors of type ${type} are not read`);
    for (let index = 0; index < count; index += 1) {
      const block = start + Math.floor(index / valuesPerBlock) * bytesPerBlock;
      const scale = halfToNumber(this.#bytes.readUInt16LE(block));
      values[index] = scale * this.#bytes.readInt8(block + 2 + (index % valuesPerBlock));
    }
    return values;
  }

  #number(type: number): number | boolean {
    const bytes = this.#bytes;
    const at = this.position;
    const readers: readonly (readonly [number, () => number | boolean])[] = [
      [1, () => bytes.readUInt8(at)],
      [1, () => bytes.readInt8(at)],
      [2, () => bytes.readUInt16LE(at)],
      [2, () => bytes.readInt16LE(at)],
      [4, () => bytes.readUInt32LE(at)],
      [4, () => bytes.readInt32LE(at)],
      [4, () => bytes.readFloatLE(at)],
      [1, () => bytes.readUInt8(at) === 1],
    ];
    const found = readers[type];
    if (found === undefined) throw new Error(`values of type ${type} are not read`);
    this.position += found[0];
    return found[1]();
  }
}

/** Converts a 16-bit float of IEEE 754. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
