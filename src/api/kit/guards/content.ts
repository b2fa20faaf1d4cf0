import { HearthError } from '../../../kernel/errors/errors.ts';
import type { UploadType } from '../route.ts';
import { shorten } from '../validation/shown-value.ts';

const jsonType = /^application\/json *(?:; *charset="?utf-?8"? *)?$/i;
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

interface ContentRule {
  readonly method: string;
  /** Largest declared length; a chunked body is measured while it is read. */
  readonly limitBytes: number;
  /** Whether the type that programs such as curl declare without being told is allowed, except from web pages. */
  readonly allowsUndeclared?: boolean | undefined;
  /** The type of the file, or form with a file, that the endpoint takes. */
  readonly uploadType?: UploadType | undefined;
}

interface RequestHeaders {
  header(name: string): string | undefined;
}

/** What curl declares if it is not told the type. */
const undeclaredType = 'application/x-www-form-urlencoded';

/**
 * Checks the declared type and length of a body.
 *
 * @throws HearthError `unsupported_media_type`, `body_too_large`.
 */
export function checkContent(headers: RequestHeaders, rule: ContentRule): void {
  const sizeBytes = Number(headers.header('content-length') ?? 0);
  if (methodsWithBody.has(rule.method)) checkType(headers, rule, sizeBytes);
  if (!(sizeBytes <= rule.limitBytes)) throw bodyTooLarge(`${sizeBytes} bytes`, rule.limitBytes);
}

/** Pages of other origins can send types other than JSON without a preflight request (CORS "simple requests"). */
function checkType(
  headers: RequestHeaders,
  { uploadType, allowsUndeclared = false }: ContentRule,
  sizeBytes: number,
): void {
  const contentType = headers.header('content-type');
  if (uploadType !== undefined) {
    // A form names its boundary. Pages of other origins are refused by their `Origin`.
    if (contentType?.split(';')[0]?.trim().toLowerCase() === uploadType) return;
    throw unsupported(contentType, uploadType);
  }
  if (contentType !== undefined && jsonType.test(contentType)) return;
  if (allowsUndeclared && contentType === undeclaredType && !isFromPage(headers)) return;
  const hasBody = sizeBytes > 0 || headers.header('transfer-encoding') !== undefined;
  if (contentType === undefined && !hasBody) return;
  throw unsupported(contentType, 'application/json');
}

/** True if a browser sent the request for a page. */
function isFromPage(headers: RequestHeaders): boolean {
  return ['origin', 'referer', 'sec-fetch-site'].some((name) => headers.header(name) !== undefined);
}

function unsupported(contentType: string | undefined, required: string): HearthError {
  const shown = contentType === undefined ? 'missing' : shorten(contentType);
  return new HearthError(
    'unsupported_media_type',
    `The Content-Type is ${shown}; it must be ${required}.`,
  );
}

/** The error for a body that exceeds the limit. @param size such as `70 bytes` */
export function bodyTooLarge(size: string, limitBytes: number): HearthError {
  return new HearthError(
    'body_too_large',
    `The body has ${size}; at most ${limitBytes} are allowed (\`limits.bodyBytes\`).`,
  );
}
