import ipaddr from 'ipaddr.js';
import type { Principal } from './guards/principal.ts';

/** An IPv6 customer has a network of this many bits for itself (RFC 6177), and may use any address of it. */
const ipv6NetworkBits = 64;

/**
 * Whom a request counts for where callers take turns: its token, else its address. Addresses that one caller
 * can change at will count as one.
 */
export function callerOf({ tokenId }: Principal, remoteAddress: string | undefined): string {
  if (tokenId !== null) return `token ${tokenId}`;
  return `address ${remoteAddress === undefined ? 'unknown' : networkOf(remoteAddress)}`;
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // IPv4 clients of a dual-stack socket come as ::ffff:192.0.2.1.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, ipv6NetworkBits / 16);
  return `${network.map((part) => part.toString(16)).join(':')}::/${ipv6NetworkBits}`;
}
