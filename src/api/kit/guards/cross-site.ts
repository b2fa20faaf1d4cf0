import { BlockList, isIP } from 'node:net';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { shorten } from '../validation/shown-value.ts';

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

/** The scheme, host and port of a URL that has a path, as browsers send them in `Origin`. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2)).toLowerCase();
}

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
