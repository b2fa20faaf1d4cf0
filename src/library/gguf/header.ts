import { withFileSource, type ByteSource } from './byte-source.ts';
import { ggufLimits, WindowReader } from './window-reader.ts';
import { readMetadata, type GgufMetadata } from './metadata.ts';
import { readTensorTable, type TensorShape, type TensorTotals } from './tensor-table.ts';

export interface GgufHeader {
  readonly version: 2 | 3;
  readonly metadata: GgufMetadata;
  readonly tensorCount: number;
  readonly tensors: TensorTotals;
  /** By the name of the tensor. Empty unless the file is an adapter or `keepsShapes` is set. */
  readonly shapes: ReadonlyMap<string, TensorShape>;
  /** Position of the tensor data in the file. */
  readonly dataOffset: number;
}

interface HeaderOptions {
  /** Reads `shapes` of any file; by default only of adapters. */
  readonly keepsShapes?: boolean;
}

const fixedBytes = 24;
const magic = 'GGUF';
const defaultAlignment = 32;
/** An adapter has two tensors for each matrix that it changes. */
const maxAdapterTensors = 16_384;

/**
 * Reads the header of a GGUF file (versions 2 and 3, little endian) within `ggufLimits`, and checks that
 * the file is long enough for its declared tensors. Source: the GGUF specification in ggml's docs.
 *
 * @throws HearthError `missing_file`, or `corrupt_file` with the file's name and the reason;
 *   the signal's reason when aborted.
 */
export function readGgufHeader(
  path: string,
  signal: AbortSignal,
  options: HeaderOptions = {},
): Promise<GgufHeader> {
  return withFileSource(path, (source) => parseGgufHeader(source, signal, options));
}

/** Like `readGgufHeader`, from any source of bytes. */
export async function parseGgufHeader(
  source: ByteSource,
  signal: AbortSignal,
  options: HeaderOptions = {},
): Promise<GgufHeader> {
  const reader = new WindowReader(source, signal);
  if (source.sizeBytes === 0) throw reader.fault('is empty');
  await reader.need(Math.min(fixedBytes, source.sizeBytes));
  if (source.sizeBytes < 8 || reader.readText(4) !== magic)
    throw reader.fault('is not a GGUF file');
  const version = readVersion(reader);
  await reader.need(fixedBytes - 8);
  const tensorCount = reader.readUint64();
  const entryCount = reader.readUint64();
  if (tensorCount > ggufLimits.tensors)
    throw reader.fault(`announces ${tensorCount} tensors; at most ${ggufLimits.tensors} are read`);
  if (entryCount > ggufLimits.metadataEntries)
    throw reader.fault(
      `announces ${entryCount} metadata entries; at most ${ggufLimits.metadataEntries} are read`,
    );

  const metadata = await readMetadata(reader, entryCount);
  if (tensorCount === 0 && !isSplit(metadata)) throw reader.fault('holds no tensors');
  const alignment = readAlignment(reader, metadata);
  const isAdapter = metadata.values.get('general.type') === 'adapter';
  if (isAdapter && tensorCount > maxAdapterTensors)
    throw reader.fault(
      `is an adapter of ${tensorCount} tensors; at most ${maxAdapterTensors} are read`,
    );
  const keepsShapes = isAdapter || options.keepsShapes === true;
  const { shapes, ...tensors } = await readTensorTable(reader, tensorCount, {
    alignment,
    keepsShapes,
  });
  const dataOffset = Math.ceil(reader.position / alignment) * alignment;
  const neededBytes = tensors.endOffset === 0 ? 0 : dataOffset + tensors.endOffset;
  if (source.sizeBytes < neededBytes)
    throw reader.fault(`is truncated: it has ${source.sizeBytes} of ${neededBytes} bytes`);
  return { version, metadata, tensorCount, tensors, shapes, dataOffset };
}

function readVersion(reader: WindowReader): 2 | 3 {
  const version = reader.readUint32();
  if (version === 2 || version === 3) return version;
  if (version === 1) throw reader.fault('is of GGUF version 1, which is too old: convert it again');
  if (version > 0 && version % 2 ** 24 === 0)
    throw reader.fault('is a big-endian GGUF file; only little-endian ones can be run');
  throw reader.fault(`is of the unknown GGUF version ${version}; versions 2 and 3 are read`);
}

/** True if the file is one of several parts: the first part may contain only metadata. */
function isSplit(metadata: GgufMetadata): boolean {
  const parts = metadata.values.get('split.count');
  return typeof parts === 'number' && parts > 1;
}

function readAlignment(reader: WindowReader, metadata: GgufMetadata): number {
  const alignment = metadata.values.get('general.alignment') ?? defaultAlignment;
  if (typeof alignment === 'number' && alignment >= 1 && Number.isInteger(Math.log2(alignment)))
    return alignment;
  throw reader.fault('has a general.alignment that is not a power of two');
}
