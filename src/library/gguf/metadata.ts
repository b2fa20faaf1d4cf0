import { ggufLimits, stringLengthBytes, type WindowReader } from './window-reader.ts';

/** Integers above 2^53 lose precision. */
export type GgufValue = string | number | boolean | readonly number[];

export interface GgufMetadata {
  /** Scalars and short arrays of numbers; long values are omitted. In arrays, booleans are 0 and 1. */
  readonly values: ReadonlyMap<string, GgufValue>;
  /** Number of items of each array, including omitted ones. */
  readonly arrayLengths: ReadonlyMap<string, number>;
  /** Size in bytes of the longest item, for each array of strings. */
  readonly longestItems: ReadonlyMap<string, number>;
  /** Keys whose value is a 32-bit float, which has fewer digits than a `number`. */
  readonly floats: ReadonlySet<string>;
}

interface NumberType {
  readonly bytes: number;
  readonly read: (bytes: Buffer) => number;
}

const floatType = 6;
const boolType = 7;
const stringType = 8;
const arrayType = 9;

/** Value types by their number in the file (GGUF specification, `gguf_metadata_value_type`). */
const numberTypes: Readonly<Record<number, NumberType>> = {
  0: { bytes: 1, read: (bytes) => bytes.readUInt8() },
  1: { bytes: 1, read: (bytes) => bytes.readInt8() },
  2: { bytes: 2, read: (bytes) => bytes.readUInt16LE() },
  3: { bytes: 2, read: (bytes) => bytes.readInt16LE() },
  4: { bytes: 4, read: (bytes) => bytes.readUInt32LE() },
  5: { bytes: 4, read: (bytes) => bytes.readInt32LE() },
  [floatType]: { bytes: 4, read: (bytes) => bytes.readFloatLE() },
  [boolType]: { bytes: 1, read: (bytes) => (bytes.readUInt8() === 0 ? 0 : 1) },
  10: { bytes: 8, read: (bytes) => Number(bytes.readBigUInt64LE()) },
  11: { bytes: 8, read: (bytes) => Number(bytes.readBigInt64LE()) },
  12: { bytes: 8, read: (bytes) => bytes.readDoubleLE() },
};

/** Reads the key-value pairs of a header, within `ggufLimits`. */
export async function readMetadata(
  reader: WindowReader,
  entryCount: number,
): Promise<GgufMetadata> {
  const values = new Map<string, GgufValue>();
  const arrayLengths = new Map<string, number>();
  const longestItems = new Map<string, number>();
  const floats = new Set<string>();
  const keys = new Set<string>();
  let keptBytes = 0;
  for (let entry = 0; entry < entryCount; entry += 1) {
    const key = await readKey(reader);
    if (keys.has(key)) throw reader.fault(`has the metadata key ${describeKey(key)} twice`);
    await reader.need(4);
    const type = reader.readUint32();
    if (type === floatType) floats.add(key);
    const start = reader.position;
    const hasRoom = keptBytes <= ggufLimits.keptBytes;
    const value =
      type === arrayType
        ? await readArray(reader, hasRoom, {
            onLength: (length) => arrayLengths.set(key, length),
            onLongest: (bytes) => longestItems.set(key, bytes),
          })
        : await readScalar(reader, type, hasRoom);
    keptBytes += key.length;
    if (keptBytes > 2 * ggufLimits.keptBytes) throw reader.fault('has too long metadata keys');
    keys.add(key);
    if (value === null) continue;
    keptBytes += reader.position - start;
    values.set(key, value);
  }
  return { values, arrayLengths, longestItems, floats };
}

async function readKey(reader: WindowReader): Promise<string> {
  await reader.need(8);
  const bytes = reader.readUint64();
  if (bytes > ggufLimits.keyBytes) throw reader.fault(`has a metadata key of ${bytes} bytes`);
  await reader.need(bytes);
  return reader.readText(bytes);
}

async function readScalar(
  reader: WindowReader,
  type: number,
  hasRoom: boolean,
): Promise<string | number | boolean | null> {
  if (type === stringType) return readString(reader, hasRoom);
  const { bytes, read } = numberType(reader, type);
  await reader.need(bytes);
  const value = read(reader.readBytes(bytes));
  return type === boolType ? value === 1 : value;
}

async function readString(reader: WindowReader, hasRoom: boolean): Promise<string | null> {
  await reader.need(8);
  const bytes = reader.readUint64();
  if (!hasRoom || bytes > ggufLimits.keptStringBytes) {
    reader.skip(bytes);
    return null;
  }
  await reader.need(bytes);
  return reader.readText(bytes);
}

async function readArray(
  reader: WindowReader,
  hasRoom: boolean,
  {
    onLength,
    onLongest,
  }: {
    readonly onLength: (length: number) => void;
    readonly onLongest: (bytes: number) => void;
  },
): Promise<readonly number[] | null> {
  await reader.need(12);
  const itemType = reader.readUint32();
  if (itemType === arrayType) throw reader.fault('has nested arrays, which no engine reads');
  const length = reader.readUint64();
  onLength(length);
  const type = numberTypes[itemType];
  if (type === undefined || !hasRoom || length > ggufLimits.keptArrayItems) {
    const longest = await skipItems(reader, itemType, length);
    if (itemType === stringType) onLongest(longest);
    return null;
  }
  await reader.need(length * type.bytes);
  return Array.from({ length }, () => type.read(reader.readBytes(type.bytes)));
}

/**
 * Skips the items of an array. Awaits only at the end of a window, since there may be millions of items.
 *
 * @returns Bytes of the longest string; 0 for numbers.
 */
async function skipItems(reader: WindowReader, itemType: number, length: number): Promise<number> {
  if (itemType !== stringType) {
    reader.skip(length * numberType(reader, itemType).bytes);
    return 0;
  }
  reader.assertRemaining(length * stringLengthBytes);
  let longest = 0;
  for (let index = 0; index < length;) {
    if (reader.buffered < stringLengthBytes) await reader.need(stringLengthBytes);
    const skipped = reader.skipStrings(length - index);
    index += skipped.count;
    longest = Math.max(longest, skipped.longest);
  }
  return longest;
}

function numberType(reader: WindowReader, type: number): NumberType {
  const found = numberTypes[type];
  if (found === undefined) throw reader.fault(`has metadata of the unknown type ${type}`);
  return found;
}

function describeKey(key: string): string {
  return JSON.stringify(key.slice(0, 80));
}
