import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/**
 * Records how much of each chunk of a part file is on disk. It lies beside the part file and survives a kill at any
 * moment. A header of 64 bytes (magic, identity, CRC-32 of both) identifies the part file. A record of 16 bytes follows
 * for each chunk: index, bytes on disk, their CRC-32, and the CRC-32 of these three, all little-endian. A record is
 * overwritten in place after its chunk's bytes were written. Torn records and records of another file are ignored.
 */
export interface ProgressFile {
  /** The records found when the file was opened, by chunk. */
  readonly records: readonly ChunkRecord[];
  write(index: number, record: ChunkRecord): Promise<void>;
  close(): Promise<void>;
}

export interface ChunkRecord {
  /** Bytes on disk, counted from the chunk's start. */
  readonly receivedBytes: number;
  /** CRC-32 of these bytes. */
  readonly checksum: number;
}

interface ProgressFileOptions {
  readonly path: string;
  /** Identifies the part file; records with another identity are dropped. */
  readonly identity: string;
  /** Size of each chunk in bytes. */
  readonly chunkSizes: readonly number[];
}

const magic = Buffer.from('HRTHPRG1', 'latin1');
const headerBytes = 64;
const recordBytes = 16;
const emptyRecord: ChunkRecord = { receivedBytes: 0, checksum: 0 };

/** Opens the progress file. Recreates it if it is missing, damaged or belongs to another part file. */
export async function openProgressFile(options: ProgressFileOptions): Promise<ProgressFile> {
  const { path, identity, chunkSizes } = options;
  const header = encodeHeader(identity);
  const file = await open(path, 'r+').catch(() => open(path, 'w+'));
  try {
    const content = await readContent(file, chunkSizes.length);
    const isOurs = content.subarray(0, headerBytes).equals(header);
    if (!isOurs) {
      await file.truncate(0);
      await file.write(header, 0, headerBytes, 0);
    }
    return {
      records: chunkSizes.map((size, index) =>
        isOurs ? decodeRecord(content, index, size) : emptyRecord,
      ),
      write: async (index, record) => {
        const bytes = encodeRecord(index, record);
        await file.write(bytes, 0, recordBytes, headerBytes + index * recordBytes);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readContent(file: FileHandle, chunkCount: number): Promise<Buffer> {
  const buffer = Buffer.alloc(headerBytes + chunkCount * recordBytes);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

function encodeHeader(identity: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  createHash('sha256').update(identity).digest().copy(header, magic.length);
  header.writeUInt32LE(crc32(header.subarray(0, headerBytes - 4)), headerBytes - 4);
  return header;
}

function encodeRecord(index: number, { receivedBytes, checksum }: ChunkRecord): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  bytes.writeUInt32LE(index, 0);
  bytes.writeUInt32LE(receivedBytes, 4);
  bytes.writeUInt32LE(checksum, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  return bytes;
}

function decodeRecord(content: Buffer, index: number, chunkBytes: number): ChunkRecord {
  const start = headerBytes + index * recordBytes;
  const bytes = content.subarray(start, start + recordBytes);
  if (bytes.length < recordBytes) return emptyRecord;
  const receivedBytes = bytes.readUInt32LE(4);
  const isWhole =
    bytes.readUInt32LE(0) === index &&
    receivedBytes <= chunkBytes &&
    bytes.readUInt32LE(12) === crc32(bytes.subarray(0, 12));
  return isWhole ? { receivedBytes, checksum: bytes.readUInt32LE(8) } : emptyRecord;
}
