import { HearthError } from '../../../kernel/errors/errors.ts';
import type { UploadType } from '../route.ts';
import { shorten } from '../validation/shown-value.ts';

const jsonType = /^application\/json *(?:; *charset="?utf-?8"? *)?$/i;
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

interface ContentHeaders {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
  /** Whether the type that programs such as curl declare without being told is allowed. */
  readonly allowsUndeclared?: boolean;
  /** The type of the file, or form with a file, that the endpoint takes. */
  readonly uploadType?: UploadType | undefined;
}

/** What curl declares if it is not told the type. */
const undeclaredType = 'application/x-www-form-urlencoded';

/**
 * Rejects a body that is not declared as JSON. Pages of other origins can send the other types without a preflight
 * request (CORS "simple requests").
 */
export function checkContentType(headers: ContentHeaders): HearthError | undefined {
  const { method, contentType, contentLength, transferEncoding } = headers;
  if (!methodsWithBody.has(method)) return undefined;
  const { uploadType } = headers;
  if (uploadType !== undefined) {
    // A form names its boundary. Pages of other origins are refused by their `Origin`.
    if (contentType?.split(';')[0]?.trim().toLowerCase() === uploadType) return undefined;
    return unsupported(contentType, uploadType);
  }
  if (contentType !== undefined && jsonType.test(contentType)) return undefined;
  if (headers.allowsUndeclared === true && contentType === undeclaredType) return undefined;
  const hasBody = transferEncoding !== undefined || Number(contentLength ?? 0) > 0;
  if (contentType === undefined && !hasBody) return undefined;
  return unsupported(contentType, 'application/json');
}

function unsupported(contentType: string | undefined, required: string): HearthError {
  const shown = contentType === undefined ? 'missing' : shorten(contentType);
  return new HearthError(
    'unsupported_media_type',
    `The Content-Type is ${shown}; it must be ${required}.`,
  );
}

/** Rejects a body by its declared length; a chunked body is measured while it is read. */
export function checkContentLength(
  contentLength: string | undefined,
  limitBytes: number,
): HearthError | undefined {
  const sizeBytes = Number(contentLength ?? 0);
  return sizeBytes <= limitBytes ? undefined : bodyTooLarge(`${sizeBytes} bytes`, limitBytes);
}

/** The error for a body that exceeds the limit. @param size such as `70 bytes` */
export function bodyTooLarge(size: string, limitBytes: number): HearthError {
  return new HearthError(
    'body_too_large',
    `The body has ${size}; at most ${limitBytes} are allowed (\`limits.bodyBytes\`).`,
  );
}

const maxUrlLength = 8192;

/** Rejects a URL that is longer than any endpoint needs. */
export function checkUrlLength(url: string): HearthError | undefined {
  if (url.length <= maxUrlLength) return undefined;
  return new HearthError(
    'invalid_value',
    `The URL has ${url.length} characters; at most ${maxUrlLength} are allowed.`,
  );
}
