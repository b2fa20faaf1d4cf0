import { isAscii } from 'node:buffer';
import { HearthError } from '../../contract/errors.ts';
import { bodyTooLarge } from '../guards/content.ts';
import { measureJson } from './json-size.ts';
import { shorten } from '../validation/shown-value.ts';

/**
 * The memory for parsing and validating depends on the number of values: `[[],[],…]` takes forty times its size.
 * Deep nesting overflows the stack of recursive code. Real requests are far below both limits.
 */
const limits = { valueCount: 250_000, depth: 512 };

/**
 * Reads the JSON body of a request.
 *
 * @throws HearthError `body_too_large` as soon as the limit is exceeded; `invalid_json` if the body is not one
 *   JSON value in UTF-8.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  // Node enforces the declared length, which a guard has checked.
  const isLengthKnown = request.headers.has('content-length');
  const bytes = isLengthKnown
    ? Buffer.from(await request.arrayBuffer())
    : await readBounded(request, limitBytes);
  return parseJsonBody(bytes);
}

/**
 * Parses the bytes of a body, or of a request in a file.
 *
 * @throws HearthError `invalid_json`; `body_too_large` for too many values.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.byteLength === 0) {
    throw new HearthError('invalid_json', 'The body is empty; a JSON object is expected.');
  }
  const { valueCount, depth } = measureJson(bytes, limits);
  if (valueCount > limits.valueCount) {
    throw new HearthError(
      'body_too_large',
      `The body has more than ${limits.valueCount} JSON values.`,
    );
  }
  if (depth > limits.depth) {
    throw new HearthError(
      'invalid_json',
      `The body is nested more than ${limits.depth} levels deep.`,
    );
  }
  try {
    return JSON.parse(decode(bytes)) as unknown;
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

async function readBounded(request: Request, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw bodyTooLarge(`more than ${limitBytes} bytes`, limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}
