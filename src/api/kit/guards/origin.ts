import { HearthError } from '../../../kernel/errors/errors.ts';
import { shorten } from '../validation/shown-value.ts';

/** Whether the page that sent a request may do so. */
type OriginVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'shared'; readonly origin: string }
  | { readonly kind: 'foreign'; readonly error: HearthError };

const sameOrigin: OriginVerdict = { kind: 'same' };

/**
 * Classifies the `Origin` header of any method. Requests without one (no browser, or a plain link) and from the
 * server's own pages, also behind the proxy of `server.publicUrl`, are allowed, others if `server.cors` lists them. `null` (sandboxed frames, files) is foreign
 * unless all origins are allowed.
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
    // A proxy with HTTPS before a server without it, which keeps the Host header.
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
