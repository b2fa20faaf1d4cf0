import { HearthError } from '../contract/errors.ts';
import { bodyTooLarge } from './guards/content.ts';
import { measureJson } from './json-size.ts';
import { shorten } from './shown-value.ts';

/**
 * Parsing and checking takes memory by the value, not by the byte: `[[],[],…]` grows fortyfold. What is nested
 * deeply overflows the stack of whoever walks through it; schemas and messages are far from that.
 */
const limits = { valueCount: 250_000, depth: 512 };

/**
 * The JSON body of a request.
 *
 * @throws HearthError `body_too_large` beyond the limit, read no further; `invalid_json` for anything else
 *   that is not one JSON value in UTF-8.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  // Node holds a client to the length that it declared; that length was checked before.
  const isLengthKnown = request.headers.has('content-length');
  const bytes = isLengthKnown
    ? new Uint8Array(await request.arrayBuffer())
    : await readBounded(request, limitBytes);
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
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    const reason = error instanceof SyntaxError ? shorten(error.message) : 'it is not UTF-8.';
    throw new HearthError('invalid_json', `The body is not JSON: ${reason}`);
  }
}

async function readBounded(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw bodyTooLarge(`more than ${limitBytes} bytes`, limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}
