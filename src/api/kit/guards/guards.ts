import { BlockList, isIP } from 'node:net';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Upload } from '../route.ts';
import { shorten } from '../validation/shown-value.ts';
import type { MiddlewareHandler } from 'hono';
import type { Settings } from '../../../settings/settings-table.ts';
import { getHealth } from '../../monitoring/health-schema.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { Authenticator } from '../../../access/authenticator.ts';
import { identify } from './principal.ts';

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

interface HostPolicy {
  /** Address that the server listens on. */
  readonly boundHost: string;
  /** Additional host names, each with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Address of the proxy in front of the server. */
  readonly publicUrl?: string | undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Rejects requests to unknown host names. Otherwise a web page could reach the server through the page's own host name
 * if that resolves to this machine (DNS rebinding). IP addresses can't be rebound: loopback addresses are always
 * allowed, and all addresses if the server listens on all of them.
 */
export function createHostGuard(
  policy: HostPolicy,
): (authority: string) => HearthError | undefined {
  const boundHost = policy.boundHost.toLowerCase();
  const names = new Set(['localhost', boundHost]);
  for (const name of policy.allowedHosts) names.add(name.toLowerCase());
  if (policy.publicUrl !== undefined) names.add(new URL(policy.publicUrl).host);
  const isBoundToAll = boundHost === '0.0.0.0' || boundHost === '::';
  return (authority) => {
    const host = authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
    if (names.has(host) || names.has(authority)) return undefined;
    const family = isIP(host);
    if (family !== 0 && (isBoundToAll || loopback.check(host, family === 4 ? 'ipv4' : 'ipv6'))) {
      return undefined;
    }
    return new HearthError(
      'forbidden',
      `The host ${shorten(authority)} is not served here. Use the server's own address, or add the name to \`server.allowedHosts\`.`,
    );
  };
}

/** Verdict on the origin of a request. */
type OriginVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'shared'; readonly origin: string }
  | { readonly kind: 'foreign'; readonly error: HearthError };

const sameOrigin: OriginVerdict = { kind: 'same' };

/**
 * Classifies the `Origin` header for all methods. Allows requests without one (no browser, or a plain link), from the
 * server's own pages (also behind the proxy of `server.publicUrl`), and from origins in `server.cors`. `null`
 * (sandboxed frames, files) is foreign unless all origins are allowed.
 */
export function createOriginGuard(
  cors: readonly string[],
  publicUrl?: string,
): (origin: string | undefined, ownOrigin: string) => OriginVerdict {
  const isOpenToAll = cors.includes('*');
  const listed = new Set(cors.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  listed.delete('null');
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return (origin, ownOrigin) => {
    if (origin === undefined || origin === ownOrigin || origin === publicOrigin) return sameOrigin;
    if (isOpenToAll || listed.has(origin.toLowerCase())) return { kind: 'shared', origin };
    // A proxy may terminate HTTPS and pass the Host header on.
    const isBehindProxy = origin === ownOrigin.replace(/^http:/, 'https:');
    const remedy = isBehindProxy
      ? 'If it is this server behind a proxy, set `server.publicUrl` to it.'
      : 'Add it to `server.cors` to allow it.';
    const error = new HearthError(
      'forbidden',
      `Pages of the origin ${shorten(origin)} may not call this server. ${remedy}`,
    );
    return { kind: 'foreign', error };
  };
}

const headerNames = /^[\w-]+(?: *, *[\w-]+)*$/;

/** Responds to the preflight request of an allowed origin. */
export function preflightResponse(requestedHeaders: string | undefined): Response {
  const isSane = requestedHeaders !== undefined && headerNames.test(requestedHeaders);
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': isSane ? requestedHeaders : 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
    },
  });
}

/** Allows the page of an allowed origin to read the response. */
export function shareWithOrigin(headers: Headers, origin: string): void {
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After');
  headers.append('Vary', 'Origin');
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
    // As browsers send it in `Origin`, without the path.
    const ownOrigin = url.slice(0, url.indexOf('/', url.indexOf('//') + 2)).toLowerCase();
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
