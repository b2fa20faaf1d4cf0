const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The bytes of one JSON value; undefined if it is too large. */
export type JsonValue = Buffer | undefined;

/** The file ends in the middle of a value. */
export class IncompleteJsonError extends Error {
  override readonly name = 'IncompleteJsonError';
}

/**
 * Yields the values of a file's array while it is read, or the file's only object. The memory depends only on the
 * largest value. Does not check the values. Yields nothing if the file begins with neither an array nor an object.
 *
 * @param maxBytes Maximum size of a value.
 * @throws IncompleteJsonError
 */
export async function* jsonValues(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<JsonValue> {
  let base: 0 | 1 | undefined;
  let [depth, isInString, isEscaped] = [0, false, false];
  let [pieces, sizeBytes]: [Uint8Array[], number] = [[], 0];
  const add = (piece: Uint8Array): void => {
    sizeBytes += piece.byteLength;
    if (sizeBytes <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): JsonValue => {
    const value = sizeBytes > maxBytes ? undefined : Buffer.concat(pieces);
    [pieces, sizeBytes] = [[], 0];
    return value;
  };

  for await (const chunk of chunks) {
    /** Index at which the value begins in this chunk; -1 outside of values. */
    let start = base !== undefined && depth > base ? 0 : -1;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (base === undefined && byte !== openBracket && byte !== openBrace) {
        if (!isSpace(byte)) return;
      } else if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) {
        isInString = true;
      } else if (byte === openBracket || byte === openBrace) {
        if (base === undefined) base = byte === openBracket ? 1 : 0;
        if (depth === base) start = index;
        depth += 1;
      } else if (byte === closeBracket || byte === closeBrace) {
        depth -= 1;
        if (depth === base && start !== -1) {
          add(chunk.subarray(start, index + 1));
          yield take();
          start = -1;
        }
        if (depth <= 0) return;
      }
    }
    if (start !== -1) add(chunk.subarray(start));
  }
  if (base !== undefined) throw new IncompleteJsonError('The file ends in the middle.');
}

/** Also true for the bytes of a byte order mark. */
function isSpace(byte: number | undefined): boolean {
  return [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].includes(byte ?? 0);
}
