import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Upload } from '../route.ts';
import { shorten } from '../validation/shown-value.ts';
import type { MiddlewareHandler } from 'hono';
import type { Settings } from '../../../settings/settings-table.ts';
import { getHealth } from '../../monitoring/health-schema.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { Authenticator } from '../../../access/authenticator.ts';
import { identify } from './principal.ts';
import { createHostGuard, createOriginGuard, originOf, preflightResponse } from './cross-site.ts';

const jsonType = /^application\/json *(?:; *charset="?utf-?8"? *)?$/i;
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

interface ContentRule {
  readonly method: string;
  /** Maximum declared length; the length of a chunked body is checked while it is read. */
  readonly limitBytes: number;
  /** True allows the content types that programs such as curl declare by default, except from web pages. */
  readonly allowsUndeclared?: boolean | undefined;
  /** The upload that the endpoint accepts: a file, or a form with a file. */
  readonly upload?: Upload | undefined;
}

interface RequestHeaders {
  header(name: string): string | undefined;
}

/** Content types that curl and Python's HTTP libraries declare by default. */
const undeclaredTypes: ReadonlySet<string | undefined> = new Set([
  undefined,
  'application/octet-stream',
  'application/x-www-form-urlencoded',
]);

/**
 * Checks the declared encoding, type and length of a body.
 *
 * @throws HearthError `unsupported_media_type`, `body_too_large`.
 */
export function checkContent(headers: RequestHeaders, rule: ContentRule): void {
  const sizeBytes = Number(headers.header('content-length') ?? 0);
  if (methodsWithBody.has(rule.method)) {
    const encoding = headers.header('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new HearthError(
        'unsupported_media_type',
        `The Content-Encoding is ${shorten(encoding)}; the body must not be compressed.`,
      );
    }
    checkType(headers, rule, sizeBytes);
  }
  if (!(sizeBytes <= rule.limitBytes)) throw bodyTooLarge(`${sizeBytes} bytes`, rule.limitBytes);
}

/**
 * Requires JSON, since other origins' pages can send some other types without a preflight request (CORS "simple
 * requests").
 */
function checkType(
  headers: RequestHeaders,
  { upload, allowsUndeclared = false }: ContentRule,
  sizeBytes: number,
): void {
  const contentType = headers.header('content-type');
  if (upload !== undefined) {
    // Only the start is compared, since a form's type includes its boundary. The origin guard refuses pages of other
    // origins.
    if (contentType?.split(';')[0]?.trim().toLowerCase() === upload.contentType) return;
    if ('takesAnyType' in upload && !isFromPage(headers)) return;
    throw unsupported(contentType, upload.contentType);
  }
  if (contentType !== undefined && jsonType.test(contentType)) return;
  if (allowsUndeclared && undeclaredTypes.has(contentType) && !isFromPage(headers)) return;
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

export type GuardSettings = Pick<
  Settings,
  | 'server.host'
  | 'server.cors'
  | 'server.allowedHosts'
  | 'server.publicUrl'
  | 'auth.required'
  | 'limits.bodyBytes'
>;

const maxUrlLength = 8192;

/**
 * Runs the checks of every request before its endpoint, cheapest first. `mount` then checks the permission, the content
 * type and the body, with the principal that is set here.
 */
export function createGuards(
  settings: GuardSettings,
  authenticator: Authenticator,
): MiddlewareHandler<AppEnvironment> {
  const checkHost = createHostGuard({
    boundHost: settings['server.host'],
    allowedHosts: settings['server.allowedHosts'],
    publicUrl: settings['server.publicUrl'],
  });
  const classifyOrigin = createOriginGuard(settings['server.cors'], settings['server.publicUrl']);
  const isTokenRequired = settings['auth.required'];

  return async (context, next) => {
    const { req, env } = context;
    const { method, url } = req;
    const ownOrigin = originOf(url);
    const unknownHost = checkHost(ownOrigin.slice(ownOrigin.indexOf('//') + 2));
    // Browsers don't accept the certificate of the listener for linked machines, so DNS rebinding can't reach it.
    if (unknownHost !== undefined && env.isLinked !== true) throw unknownHost;

    const origin = classifyOrigin(req.header('origin'), ownOrigin);
    if (origin.kind === 'foreign') throw origin.error;
    if (origin.kind === 'shared') {
      context.set('sharedOrigin', origin.origin);
      const isPreflight = req.header('access-control-request-method') !== undefined;
      if (method === 'OPTIONS' && isPreflight) {
        return preflightResponse(req.header('access-control-request-headers'));
      }
    }

    // /health still responds, so that no supervisor kills a server that is finishing its requests.
    if (env.isStopping === true && req.path !== getHealth.path) {
      throw new HearthError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
    }
    if (url.length > maxUrlLength) {
      throw new HearthError(
        'invalid_value',
        `The URL has ${url.length} characters; at most ${maxUrlLength} are allowed.`,
      );
    }
    const credentials = {
      authorization: req.header('authorization'),
      apiKey: req.header('x-api-key'),
      cookie: req.header('cookie'),
      address: env.remoteAddress,
    };
    const principal =
      env.batchCaller ??
      (await identify(authenticator, credentials, isTokenRequired || env.isLinked === true));
    if (principal instanceof HearthError) throw principal;
    context.set('principal', principal);
    return next();
  };
}
