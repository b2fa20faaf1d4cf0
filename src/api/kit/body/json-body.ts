import { isAscii } from 'node:buffer';
import { foldSeed } from '../../../engines/fold-seed.ts';
import { type ErrorCode, HearthError } from '../../../kernel/errors/errors.ts';
import { bodyTooLarge } from '../guards/guards.ts';
import { shorten } from '../validation/shown-value.ts';
import type { Transferable } from 'node:worker_threads';
import { WorkerThread } from '../../../kernel/concurrency/worker-thread.ts';

/**
 * Real requests are far below these limits. Memory for parsing and validating depends on the number of values:
 * `[[],[],…]` takes forty times its size. Each field with a new name takes time. Deep nesting overflows the stack of
 * recursive code.
 */
const bodyLimits = { valueCount: 250_000, fieldCount: 40_000, depth: 512 };

/**
 * Parses JSON from pieces of bytes, which the caller must not use afterwards.
 *
 * @throws HearthError `invalid_json`, `body_too_large`.
 */
export type ParseJson = (pieces: readonly Uint8Array[]) => Promise<unknown>;

/** Longer bodies are parsed in a thread: escapes, whitespace or non-ASCII characters take up to 30 ms per MiB. */
const maxBytesInEventLoop = 1024 * 1024;
/** Bytes to copy at a time, since copying a whole long body takes 100 ms. */
const blockBytes = 1024 * 1024;

/**
 * Reads the JSON body of a request.
 *
 * @param parse Parses a body that is long or has no declared length.
 * @throws HearthError `body_too_large` as soon as the limit is exceeded; `invalid_json` if the body is not one JSON
 *   value in UTF-8.
 */
export async function readJsonBody(
  request: Request,
  limitBytes: number,
  parse: ParseJson,
): Promise<unknown> {
  // Node enforces the declared length, which a guard has already checked.
  const declared = request.headers.get('content-length');
  const isShort = declared !== null && Number(declared) <= maxBytesInEventLoop;
  if (isShort) return parseJsonBody(Buffer.from(await request.arrayBuffer()));
  return parse(await readBlocks(request, limitBytes));
}

/**
 * Parses the bytes of a body, or of a batch request in a file.
 *
 * @param onDecoded Called when the bytes are no longer needed.
 * @throws HearthError `invalid_json`; `body_too_large` for too many values.
 */
export function parseJsonBody(bytes: Buffer, onDecoded?: () => void): unknown {
  if (bytes.byteLength === 0) {
    throw new HearthError('invalid_json', 'The body is empty; a JSON object is expected.');
  }
  const { valueCount, fieldCount, depth } = measureJson(bytes, bodyLimits);
  if (valueCount > bodyLimits.valueCount) {
    throw new HearthError(
      'body_too_large',
      `The body has more than ${bodyLimits.valueCount} JSON values.`,
    );
  }
  if (fieldCount > bodyLimits.fieldCount) {
    throw new HearthError(
      'body_too_large',
      `The body has more than ${bodyLimits.fieldCount} fields of JSON objects.`,
    );
  }
  if (depth > bodyLimits.depth) {
    throw new HearthError(
      'invalid_json',
      `The body is nested more than ${bodyLimits.depth} levels deep.`,
    );
  }
  try {
    // ASCII is decoded many times faster, if the body is large.
    const text = isAscii(bytes)
      ? bytes.toString('latin1')
      : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    onDecoded?.();
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? shorten(error.message) : 'it is not UTF-8.';
    throw new HearthError('invalid_json', `The body is not JSON: ${reason}`);
  }
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

/** The value, or the error's code and message. */
export type JsonReply =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string };

/** Parses long bodies in a thread. The transfer of a value takes only a fraction of the time to parse it. */
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

/** Joins the pieces of a body. */
export function joinPieces(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  return first instanceof Buffer && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Short pieces share their buffer with others, so they are copied instead of transferred. */
function ownMemory({ buffer, byteLength }: Uint8Array): readonly Transferable[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Most strings end within this many bytes; for these a native search is not faster. */
const nearbyBytes = 64;

interface JsonSize {
  /** Upper bound of the number of values: commas and opening brackets outside of strings, plus one. */
  readonly valueCount: number;
  /** Upper bound of the number of fields in all objects: colons outside of strings. */
  readonly fieldCount: number;
  /** Maximum nesting depth of brackets. */
  readonly depth: number;
}

/** Measures a JSON text without parsing it, and stops as soon as a limit is exceeded. */
export function measureJson(json: Buffer, limits: JsonSize): JsonSize {
  let valueCount = 1;
  let fieldCount = 0;
  let open = 0;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) {
      index = endOfString(json, index + 1);
    } else if (byte === comma) {
      valueCount += 1;
    } else if (byte === colon) {
      fieldCount += 1;
    } else if (byte === openBracket || byte === openBrace) {
      valueCount += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === closeBracket || byte === closeBrace) {
      open -= 1;
    }
    if (valueCount > limits.valueCount || fieldCount > limits.fieldCount || depth > limits.depth) {
      break;
    }
  }
  return { valueCount, fieldCount, depth };
}

/** Index of the string's closing quote; the length of the text if there is none. */
function endOfString(json: Buffer, start: number): number {
  const nearby = Math.min(start + nearbyBytes, json.length);
  for (let index = start; index < nearby; index += 1) {
    if (json[index] === quote) return index;
    if (json[index] === backslash) index += 1;
  }
  // `indexOf` is faster for the rest of a long string.
  let from = nearby;
  if (isEscaped(json, from, start)) from += 1;
  for (;;) {
    const found = json.indexOf(quote, from);
    if (found === -1) return json.length;
    if (!isEscaped(json, found, start)) return found;
    from = found + 1;
  }
}

/** True if an odd number of backslashes comes before this index. */
function isEscaped(json: Buffer, index: number, start: number): boolean {
  let first = index;
  while (first > start && json[first - 1] === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

/**
 * A "seed" integer that may exceed a number's precision. Quotes within strings have a backslash before them, so strings
 * do not match.
 */
const longSeeds = /(?<!\\)("seed"\s*:\s*)(-?\d{16,20})(?![\d.eE])/g;

/**
 * Parses JSON. `seed`, in the body or its `options`, may have 64 bits. A seed that a number can't hold exactly is
 * converted to the engine's format without losing bits.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) return body;
  const { options } = body;
  if (hasLongSeed(body) || (isObject(options) && hasLongSeed(options))) foldSeeds(body, text);
  return body;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasLongSeed({ seed }: Readonly<Record<string, unknown>>): boolean {
  return typeof seed === 'number' && !Number.isSafeInteger(seed);
}

function foldSeeds(body: Record<string, unknown>, text: string): void {
  // Parses again, with such seeds as strings.
  const exact: unknown = JSON.parse(text.replaceAll(longSeeds, '$1"$2"'));
  const pairs = isObject(exact)
    ? [
        [body, exact],
        [body['options'], exact['options']],
      ]
    : [];
  for (const [owner, source] of pairs) {
    if (!isObject(owner) || !isObject(source) || !hasLongSeed(owner)) continue;
    const { seed } = source;
    if (typeof seed === 'string') owner['seed'] = foldSeed(BigInt(seed));
  }
}
