import { BlockList, isIP } from 'node:net';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { shorten } from '../validation/shown-value.ts';

interface HostPolicy {
  /** Address that the server listens on. */
  readonly boundHost: string;
  /** Additional names, each with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Address of the proxy before the server. */
  readonly publicUrl?: string | undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The scheme, host and port of a URL that has a path, as browsers send them in `Origin`. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2)).toLowerCase();
}

/** The `host:port` of a URL that has a path. */
export function authorityOf(url: string): string {
  const origin = originOf(url);
  return origin.slice(origin.indexOf('//') + 2);
}

/**
 * Rejects requests to unknown host names. Otherwise a web page could reach the server through a name of its own that
 * resolves to this machine (DNS rebinding). Addresses can't be rebound: loopback addresses are always allowed, and
 * all addresses if the server listens on all of them.
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
