import ipaddr from 'ipaddr.js';
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** Time from the start of a lookup to its concealed refusal. */
const concealedForMs = 2000;

/** The egress policy forbids an address. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_REFUSED';

  /** The message omits the resolved address, which would reveal the server's network. */
  constructor(host: string) {
    super(`${host} is not at a public address`);
  }
}

/** Global unicast (RFC 4291); all other IPv6 addresses are reserved. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address of the destination. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * True if an IP address belongs to the public Internet. These ranges of the IANA registries are not public: loopback,
 * private, link-local, shared (100.64/10), documentation, benchmark, multicast, reserved and unspecified addresses, and
 * the tunnels 6to4 and Teredo. An IPv4 address inside IPv6 (mapped, NAT64) is checked as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  // An address with a zone is local to a link.
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

/** The addresses that outbound requests may connect to. */
export type EgressPolicy =
  /** Any address: the operator chose it. */
  { readonly type: 'any' } | PublicEgress;

/** Public addresses only: a client or another server chose the address. */
export interface PublicEgress {
  readonly type: 'public';
  /** Exceptions, as `host` (any port) or `host:port`, IPv6 in brackets. */
  readonly allowedHosts: readonly string[];
  /** Refuses all other hosts, even with public addresses. */
  readonly allowsOnlyListed?: boolean;
  /**
   * True if the lookup of a nonexistent name fails like a private one: with the same error after the same time.
   * Otherwise clients could discover names in the server's network.
   */
  readonly concealsNames?: boolean;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAddresses;
}

export interface AddressPolicy {
  /** True if the host is one of the exceptions. */
  isAllowed(url: URL): boolean;
  /**
   * Checks IP addresses and names of this machine in a URL, without resolving names.
   *
   * @throws AddressRefused
   */
  assertUrl(url: URL): void;
  /**
   * For sockets: resolves a name and fails with `AddressRefused` unless all its addresses are public. The
   * socket connects to the checked addresses, so a second resolution can't return others.
   */
  readonly lookup: LookupFunction;
}

/** The checks of an egress policy for public addresses. */
export function createAddressPolicy(egress: PublicEgress): AddressPolicy {
  const allowed = new Set(egress.allowedHosts.map((host) => host.toLowerCase()));
  const resolve: ResolveAddresses = egress.resolve ?? systemLookup;
  const isAllowed = (url: URL): boolean =>
    allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`);
  return {
    isAllowed,
    assertUrl(url) {
      if (isAllowed(url)) return;
      const hostname = url.hostname.replaceAll(/^\[|\]$/g, '');
      const isPrivate = isIP(hostname) === 0 ? isLocalName(hostname) : !isPublicAddress(hostname);
      if (isPrivate || egress.allowsOnlyListed === true) throw new AddressRefused(url.host);
    },
    lookup(hostname, options, callback) {
      const settle = egress.concealsNames === true ? concealed(hostname, callback) : callback;
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        answer(hostname, options, settle, error, addresses);
      });
    },
  };
}

/** Passes addresses on. Any failure becomes a refusal, always after the same time. */
function concealed(hostname: string, callback: LookupCallback): LookupCallback {
  let isRefused = false;
  const refusal = setTimeout(() => {
    isRefused = true;
    callback(new AddressRefused(hostname), []);
  }, concealedForMs);
  return (error, address, family) => {
    // A slow lookup is refused too, since its duration would reveal as much.
    if (error !== null || isRefused) return;
    clearTimeout(refusal);
    callback(null, address, family);
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
  if (first === undefined) {
    callback(error ?? new AddressRefused(hostname), []);
  } else if (!addresses.every(({ address }) => isPublicAddress(address))) {
    callback(new AddressRefused(hostname), []);
  } else if (all === true) {
    callback(null, [...addresses]);
  } else {
    callback(null, first.address, first.family);
  }
}

/** True for names that every resolver, including a proxy's, resolves to its own machine or link. */
function isLocalName(hostname: string): boolean {
  return /(?:^|\.)(?:localhost|local|internal|localdomain)\.?$/.test(hostname);
}

function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}
