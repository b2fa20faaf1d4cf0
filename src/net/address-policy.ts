import ipaddr from 'ipaddr.js';
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** An address that may not be reached from here. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_REFUSED';

  /** What the name resolved to is left out: it would tell about the network that Hearth stands in. */
  constructor(host: string) {
    super(`${host} is not at a public address`);
  }
}

/** Global unicast (RFC 4291); what else there is of IPv6 is set aside. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address that is reached. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an IP address is one of the public Internet. Not so: loopback, private, link-local, shared
 * (100.64/10), documentation, benchmark, multicast, reserved and unspecified ranges of the IANA registries,
 * and the tunnels 6to4 and Teredo. An IPv4 address within IPv6 (mapped, NAT64) is validated by itself.
 */
export function isPublicAddress(address: string): boolean {
  // Scopes exist on this link only.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.isIPv4MappedAddress()) return isPublicAddress(parsed.toIPv4Address().toString());
  if (parsed.match(nat64)) {
    return isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
  }
  return parsed.range() === 'unicast' && parsed.match(globalUnicast);
}

type LookupCallback = Parameters<LookupFunction>[2];

/** Resolves a name like `lookup` of `node:dns`. */
export type ResolveAddresses = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface Reach {
  /**
   * Hosts that may be anywhere, as `host` (any port) or `host:port`, IPv6 in brackets; every other host
   * must be at a public address.
   */
  readonly allowedHosts: readonly string[];
  /** In place of the system's resolver. */
  readonly resolve?: ResolveAddresses;
}

export interface AddressPolicy {
  /** Whether the host is one of those that may be anywhere. */
  isAllowed(url: URL): boolean;
  /**
   * Refuses what can be told from the address alone: IP addresses, and names of this machine.
   *
   * @throws AddressRefused
   */
  assertUrl(url: URL): void;
  /**
   * For sockets: resolves a name and fails with `AddressRefused` unless all its addresses are public.
   * The socket connects to the very addresses that were checked, so a name that changes between two
   * look-ups gains nothing.
   */
  readonly lookup: LookupFunction;
}

/** Who may be reached over HTTP, where an address comes from someone other than who runs Hearth. */
export function createAddressPolicy(reach: Reach): AddressPolicy {
  const allowed = new Set(reach.allowedHosts.map((host) => host.toLowerCase()));
  const resolve: ResolveAddresses = reach.resolve ?? systemLookup;
  const isAllowed = (url: URL): boolean =>
    allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`);
  return {
    isAllowed,
    assertUrl(url) {
      if (isAllowed(url)) return;
      const hostname = url.hostname.replaceAll(/^\[|\]$/g, '');
      const isRefused = isIP(hostname) === 0 ? isLocalName(hostname) : !isPublicAddress(hostname);
      if (isRefused) throw new AddressRefused(url.host);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        answer(hostname, options, callback, error, addresses);
      });
    },
  };
}

function answer(
  hostname: string,
  { all }: LookupOptions,
  callback: LookupCallback,
  error: NodeJS.ErrnoException | null,
  addresses: readonly LookupAddress[],
): void {
  const [first] = addresses ?? [];
  if (error !== null || first === undefined) {
    callback(error ?? new AddressRefused(hostname), []);
  } else if (!addresses.every(({ address }) => isPublicAddress(address))) {
    callback(new AddressRefused(hostname), []);
  } else if (all === true) {
    callback(null, [...addresses]);
  } else {
    callback(null, first.address, first.family);
  }
}

/** Names that every resolver, that of a proxy too, gives an address of its own machine or link. */
function isLocalName(hostname: string): boolean {
  return /(?:^|\.)(?:localhost|local|internal|localdomain)\.?$/.test(hostname);
}

function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}
