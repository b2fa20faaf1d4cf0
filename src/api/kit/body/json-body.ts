import { isAscii } from 'node:buffer';
import { type ErrorCode, HearthError } from '../../../kernel/errors/errors.ts';
import { bodyTooLarge } from '../guards/guards.ts';
import { measureJson, parseJson } from './parse-json.ts';
import { shorten } from '../validation/shown-value.ts';
import type { Transferable } from 'node:worker_threads';
import { WorkerThread } from '../../../kernel/concurrency/worker-thread.ts';

/**
 * The memory for parsing and validating depends on the number of values: `[[],[],…]` takes forty times its size. Objects
 * take time for each field with a new name. Deep nesting overflows the stack of recursive code. Real requests are far
 * below these limits.
 */
const limits = { valueCount: 250_000, fieldCount: 40_000, depth: 512 };

/**
 * Parses the bytes of a JSON value, in pieces that can't be used afterwards.
 *
 * @throws HearthError `invalid_json`, `body_too_large`.
 */
export type ParseJson = (pieces: readonly Uint8Array[]) => Promise<unknown>;

/** Copied at once: a long body as a whole takes 100 ms. */
const blockBytes = 1024 * 1024;

/**
 * Reads the JSON body of a request.
 *
 * @throws HearthError `body_too_large` as soon as the limit is exceeded; `invalid_json` if the body is not one
 *   JSON value in UTF-8.
 */
export async function readJsonBody(
  request: Request,
  limitBytes: number,
  parse: ParseJson,
): Promise<unknown> {
  // Node enforces the declared length, which a guard has checked.
  const declared = request.headers.get('content-length');
  const isShort = declared !== null && Number(declared) <= blockBytes;
  return parse(
    isShort ? [Buffer.from(await request.arrayBuffer())] : await readBlocks(request, limitBytes),
  );
}

/**
 * Parses the bytes of a body, or of a request in a file.
 *
 * @param onDecoded Called when the bytes are no longer needed.
 * @throws HearthError `invalid_json`; `body_too_large` for too many values.
 */
export function parseJsonBody(bytes: Buffer, onDecoded: () => void = () => {}): unknown {
  if (bytes.byteLength === 0) {
    throw new HearthError('invalid_json', 'The body is empty; a JSON object is expected.');
  }
  const { valueCount, fieldCount, depth } = measureJson(bytes, limits);
  if (valueCount > limits.valueCount) {
    throw new HearthError(
      'body_too_large',
      `The body has more than ${limits.valueCount} JSON values.`,
    );
  }
  if (fieldCount > limits.fieldCount) {
    throw new HearthError(
      'body_too_large',
      `The body has more than ${limits.fieldCount} fields of JSON objects.`,
    );
  }
  if (depth > limits.depth) {
    throw new HearthError(
      'invalid_json',
      `The body is nested more than ${limits.depth} levels deep.`,
    );
  }
  try {
    const text = decode(bytes);
    onDecoded();
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? shorten(error.message) : 'it is not UTF-8.';
    throw new HearthError('invalid_json', `The body is not JSON: ${reason}`);
  }
}

/** @throws TypeError if it is not UTF-8. */
function decode(bytes: Buffer): string {
  // Many times faster for a large body.
  if (isAscii(bytes)) return bytes.toString('latin1');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

async function readBlocks(request: Request, limitBytes: number): Promise<readonly Buffer[]> {
  const blocks: Buffer[] = [];
  let sizeBytes = 0;
  let chunks: Uint8Array[] = [];
  let chunksBytes = 0;
  const endBlock = (): void => {
    blocks.push(Buffer.concat(chunks, chunksBytes));
    [chunks, chunksBytes] = [[], 0];
  };
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw bodyTooLarge(`more than ${limitBytes} bytes`, limitBytes);
    chunks.push(chunk);
    chunksBytes += chunk.byteLength;
    if (chunksBytes >= blockBytes) endBlock();
  }
  endBlock();
  return blocks;
}

/** A refused body has the error's code and message. */
export type JsonReply =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string };

/** A body of escapes, blanks or other characters than ASCII takes up to 30 ms for each MiB. */
const maxBytesInEventLoop = 1024 * 1024;

/** Parses long bodies in a thread, which returns their values several times as fast as they are parsed. */
export class JsonParser {
  readonly #thread: WorkerThread<readonly Uint8Array[], JsonReply>;

  /** @param script The bundled `json-thread-main.js`. */
  constructor(script: string) {
    this.#thread = new WorkerThread(script);
  }

  readonly parse: ParseJson = async (pieces) => {
    const sizeBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes <= maxBytesInEventLoop) return parseJsonBody(joinPieces(pieces));
    const reply = await this.#thread.ask(pieces, pieces.flatMap(ownMemory));
    if ('value' in reply) return reply.value;
    throw new HearthError(reply.code, reply.message);
  };

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The bytes of a body that arrived in pieces. */
export function joinPieces(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  return first instanceof Buffer && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Short pieces share their memory with others, so they are copied. */
function ownMemory({ buffer, byteLength }: Uint8Array): readonly Transferable[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
