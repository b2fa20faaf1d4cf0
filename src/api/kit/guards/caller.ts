import ipaddr from 'ipaddr.js';
import type { RequestRecord } from '../../../telemetry/request-record.ts';
import type { Caller } from '../../../telemetry/request-context.ts';
import { permits, type Principal } from './principal.ts';

/** An IPv6 customer has a network of this many bits (RFC 6177), and may use any address of it. */
const ipv6NetworkBits = 64;

/** The principal of a request as the rest of the server sees it. */
export function toCaller(principal: Principal, remoteAddress: string | undefined): Caller {
  return {
    tokenId: principal.tokenId,
    identity: principal.identity,
    clientKey: clientKeyOf(principal, remoteAddress),
    hasPermission: (permission) => permits(principal, permission),
  };
}

/** The token of a request; null if it has none. */
export function toRecordedCaller({ tokenId, identity }: Principal): RequestRecord['caller'] {
  return tokenId === null ? null : { tokenId, name: identity?.name ?? tokenId };
}

/** The token, or else the address. Addresses that one client can change at will share a key. */
function clientKeyOf({ tokenId }: Principal, remoteAddress: string | undefined): string {
  if (tokenId !== null) return `token ${tokenId}`;
  return `address ${remoteAddress === undefined ? 'unknown' : networkOf(remoteAddress)}`;
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // A dual-stack socket reports IPv4 clients as ::ffff:192.0.2.1.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, ipv6NetworkBits / 16);
  return `${network.map((part) => part.toString(16)).join(':')}::/${ipv6NetworkBits}`;
}
