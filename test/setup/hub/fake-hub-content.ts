import { createCipheriv, createHash } from 'node:crypto';
import { createReadStream, openSync, readSync, statSync } from 'node:fs';

/** The content of a file on the fake hub: bytes, generated, or a file on disk. */
export type FakeFile =
  | Buffer
  | {
      readonly sizeBytes: number;
      readonly seed: number;
      /** Bytes to start with, such as the header of a model. */
      readonly head?: Buffer;
    }
  | { readonly filePath: string };

/** Content that is read by offset and never completely in memory. */
export interface FakeContent {
  readonly sizeBytes: number;
  /** Reads at least one byte and at most the requested number. */
  read(offset: number, maxBytes: number): Buffer;
  /** SHA-256 in hex; computed once. */
  sha256(): string;
  /** Git's hash of the blob, in hex; computed once. */
  gitSha1(): string;
}

/** A prime number of bytes, so that pieces at round offsets differ. */
const blockBytes = 4_194_301;
const readBytes = 1024 * 1024;

export function createFakeContent(file: FakeFile): FakeContent {
  if (Buffer.isBuffer(file)) {
    return withHashes(file.length, (offset, length) => file.subarray(offset, offset + length));
  }
  if ('filePath' in file) return contentOfPath(file.filePath);
  const { sizeBytes, seed, head = Buffer.alloc(0) } = file;
  const key = Buffer.alloc(16);
  key.writeDoubleLE(seed);
  const block = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(
    Buffer.alloc(Math.min(blockBytes, sizeBytes)),
  );
  return withHashes(sizeBytes, (offset, length) => {
    if (offset < head.length) return head.subarray(offset, offset + length);
    const start = offset % block.length;
    return block.subarray(start, Math.min(start + length, start + sizeBytes - offset));
  });
}

function contentOfPath(filePath: string): FakeContent {
  const { size } = statSync(filePath);
  let descriptor: number | undefined;
  return withHashes(size, (offset, length) => {
    descriptor ??= openSync(filePath, 'r');
    const buffer = Buffer.alloc(Math.min(length, readBytes));
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, offset));
  });
}

function withHashes(sizeBytes: number, read: FakeContent['read']): FakeContent {
  const hash = (algorithm: string, prefix: string): string => {
    const hasher = createHash(algorithm).update(prefix);
    for (let offset = 0; offset < sizeBytes;) {
      const piece = read(offset, readBytes);
      hasher.update(piece);
      offset += piece.length;
    }
    return hasher.digest('hex');
  };
  let sha256: string | undefined;
  let gitSha1: string | undefined;
  return {
    sizeBytes,
    read,
    sha256: () => (sha256 ??= hash('sha256', '')),
    gitSha1: () => (gitSha1 ??= hash('sha1', `blob ${sizeBytes}\0`)),
  };
}

/** SHA-256 of a file on disk in hex, to compare with `FakeContent.sha256`. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = createHash('sha256');
  for await (const piece of createReadStream(path)) hasher.update(piece as Buffer);
  return hasher.digest('hex');
}
