import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import * as z from 'zod';

/**
 * Magic number of a state's file. The file has the engine's data, then a JSON description, then a trailer of fixed
 * size with the magic number and the description's length and hash. The description has the data's size and hash.
 */
const magic = Buffer.from('HRTHKV01');
const trailerBytes = magic.length + 4 + 32;
const maxDescriptionBytes = 4 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

const descriptionSchema = z.object({
  key: z.string(),
  ownerId: z.string().nullable(),
  responseId: z.string().nullable(),
  tokens: z.int().positive(),
  heldTokens: z.int().positive(),
  chain: z.object({ hashes: z.array(z.string()), ends: z.array(z.int().nonnegative()) }),
  dataBytes: z.int().positive(),
  sha256: z.string(),
});

export type StateDescription = Readonly<z.output<typeof descriptionSchema>>;

/** The file is truncated, has been changed, or is not a state. */
class DamagedStateError extends Error {
  override readonly name = 'DamagedStateError';
}

/**
 * Copies the engine's file and appends its description.
 *
 * @param target Path of a new file, which only this user may read. The file is incomplete if the function throws.
 * @throws The signal's reason; errors of the file system.
 */
export async function writeStateFile(
  source: string,
  target: string,
  description: Omit<StateDescription, 'dataBytes' | 'sha256'>,
  signal: AbortSignal,
): Promise<StateDescription> {
  const input = await open(source, 'r');
  try {
    const output = await open(target, 'wx', 0o600);
    try {
      const { size } = await input.stat();
      const sha256 = await copy(input, output, size, signal);
      const complete = { ...description, dataBytes: size, sha256 };
      const json = Buffer.from(JSON.stringify(complete));
      const length = Buffer.alloc(4);
      length.writeUInt32LE(json.length);
      const hash = createHash('sha256').update(json).digest();
      await output.writeFile(Buffer.concat([json, magic, length, hash]));
      return complete;
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

/**
 * Reads a file's description, without the data.
 *
 * @throws DamagedStateError; errors of the file system.
 */
export async function readDescription(path: string): Promise<StateDescription> {
  const file = await open(path, 'r');
  try {
    return await describe(file);
  } finally {
    await file.close();
  }
}

/**
 * Copies the data of a file for the engine and verifies its size and hash.
 *
 * @param target Path of a new file, which must not be used if the function throws.
 * @throws DamagedStateError; the signal's reason; errors of the file system.
 */
export async function extractState(
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const input = await open(source, 'r');
  try {
    const { dataBytes, sha256 } = await describe(input);
    const output = await open(target, 'wx', 0o600);
    try {
      const actual = await copy(input, output, dataBytes, signal);
      if (actual !== sha256) throw new DamagedStateError('The data of the state was changed.');
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

async function describe(file: FileHandle): Promise<StateDescription> {
  const { size } = await file.stat();
  const trailer = await readExactly(file, size - trailerBytes, trailerBytes);
  const length = trailer.readUInt32LE(magic.length);
  if (!trailer.subarray(0, magic.length).equals(magic) || length > maxDescriptionBytes) {
    throw new DamagedStateError('The file does not end like a state.');
  }
  const json = await readExactly(file, size - trailerBytes - length, length);
  const hash = createHash('sha256').update(json).digest();
  if (!hash.equals(trailer.subarray(magic.length + 4))) {
    throw new DamagedStateError('The description of the state was changed.');
  }
  const description = descriptionSchema.parse(JSON.parse(json.toString()));
  if (description.dataBytes !== size - trailerBytes - length) {
    throw new DamagedStateError('The state has another size than when it was saved.');
  }
  return description;
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) throw new DamagedStateError('The file is too short for a state.');
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new DamagedStateError('The file is truncated.');
  return buffer;
}

/**
 * Copies the first bytes of a file.
 * @returns The SHA-256 of these bytes, in hex.
 */
async function copy(
  input: FileHandle,
  output: FileHandle,
  length: number,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(chunkBytes, Math.max(1, length)));
  for (let position = 0; position < length;) {
    signal.throwIfAborted();
    const { bytesRead } = await input.read(
      buffer,
      0,
      Math.min(buffer.length, length - position),
      position,
    );
    if (bytesRead === 0) throw new DamagedStateError('The file is truncated.');
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    for (let written = 0; written < bytesRead;) {
      written += (await output.write(chunk, written, bytesRead - written)).bytesWritten;
    }
    position += bytesRead;
  }
  return hash.digest('hex');
}
