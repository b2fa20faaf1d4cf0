import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../kernel/error-code.ts';

const pollMs = 250;
const chunkBytes = 64 * 1024;
/** The end of a file in which the latest lines are looked for. */
const maxTailBytes = 16 * 1024 * 1024;

interface ReadLogOptions {
  /** Most lines to begin with. */
  readonly lines: number;
  readonly follows: boolean;
  readonly signal: AbortSignal;
}

/**
 * The latest lines of a log file, with those of the file before it (`.1`) if there are too few, and then new ones until the
 * signal aborts. A file that is truncated, rotated or created meanwhile is read from its beginning.
 *
 * @throws Error with the code ENOENT if there is no file, and it is not followed.
 */
export async function* readLogFile(
  file: string,
  { lines, follows, signal }: ReadLogOptions,
): AsyncGenerator<string> {
  const latest = await readTail(file).catch((error: unknown) => {
    if (follows && errorCode(error) === 'ENOENT') return { lines: [] as string[], sizeBytes: 0 };
    throw error;
  });
  if (latest.lines.length < lines) {
    const before = await readTail(`${file}.1`).catch(() => ({ lines: [] as string[] }));
    latest.lines.unshift(...before.lines);
  }
  yield* lines === 0 ? [] : latest.lines.slice(-lines);
  if (follows) yield* follow(file, latest.sizeBytes, signal);
}

async function readTail(file: string): Promise<{ lines: string[]; readonly sizeBytes: number }> {
  const handle = await open(file);
  try {
    const { size: sizeBytes } = await handle.stat();
    const start = Math.max(0, sizeBytes - maxTailBytes);
    const buffer = Buffer.alloc(sizeBytes - start);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n').filter(Boolean);
    // The first one begins in the middle.
    return { lines: start > 0 ? lines.slice(1) : lines, sizeBytes: start + bytesRead };
  } finally {
    await handle.close();
  }
}

async function* follow(file: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = from;
  let rest = Buffer.alloc(0);
  while (!signal.aborted) {
    const sizeBytes = await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    if (sizeBytes < position) position = 0;
    if (sizeBytes === position) {
      await delay(pollMs, undefined, { signal }).catch(() => {});
      continue;
    }
    const handle = await open(file);
    try {
      const read = await readChunk(handle, position);
      position += read.length;
      rest = Buffer.concat([rest, read]);
    } finally {
      await handle.close();
    }
    const end = rest.lastIndexOf(0x0a) + 1;
    yield* rest.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
    rest = rest.subarray(end);
  }
}

async function readChunk(handle: FileHandle, position: number): Promise<Buffer<ArrayBuffer>> {
  const buffer = Buffer.alloc(chunkBytes);
  const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
  return buffer.subarray(0, bytesRead);
}
