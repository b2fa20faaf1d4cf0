import { isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Settings } from '../settings/settings-table.ts';

interface NetworkUrlOptions {
  readonly settings: Pick<Settings, 'server.host' | 'server.publicUrl'>;
  /** The address that the server listens on, as a URL. */
  readonly url: string;
  /** Result of `os.networkInterfaces()`. */
  readonly interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}

/**
 * The URL by which other devices reach the server, without a trailing slash.
 *
 * @throws HearthError `network_unreachable`; its message names the settings to change.
 */
export function networkUrl({ settings, url, interfaces }: NetworkUrlOptions): string {
  const { 'server.host': host, 'server.publicUrl': publicUrl } = settings;
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)) {
    return publicUrl.replace(/\/$/, '');
  }
  if (isLoopback(host)) {
    throw new HearthError(
      'network_unreachable',
      'The server listens for this machine only. Run `hearth config set server.host 0.0.0.0 auth.required true` and restart it.',
    );
  }
  const address = addressInNetwork(host, interfaces);
  if (address === undefined) {
    throw new HearthError(
      'network_unreachable',
      'This machine has no address in a local network. Connect it to one, or set `server.publicUrl` to the address that other devices use.',
    );
  }
  const { protocol, port } = new URL(url);
  return new URL(`${protocol}//${isIPv6(address) ? `[${address}]` : address}:${port}`).origin;
}

/** The address by which other devices reach the host that the server listens on; undefined if there is none. */
export function addressInNetwork(
  host: string,
  interfaces: NetworkUrlOptions['interfaces'],
): string | undefined {
  return ['0.0.0.0', '::'].includes(host) ? networkAddress(interfaces) : host;
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || (ipaddr.isValid(address) && rangeOf(address) === 'loopback');
}

function rangeOf(address: string): string {
  return ipaddr.process(address).range();
}

/** Interfaces of containers, virtual machines and tunnels, which other devices in the network can't reach. */
const virtualNames =
  /^(?:docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|tun|tap|utun|wg|zt|tailscale|cni|flannel)/i;

/** An IPv4 address of this machine that other devices in its network can probably reach. */
function networkAddress(interfaces: NetworkUrlOptions['interfaces']): string | undefined {
  const candidates = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({
        address,
        rank: (virtualNames.test(name) ? 2 : 0) + (rangeOf(address) === 'private' ? 0 : 1),
        isUsable: rangeOf(address) !== 'linkLocal',
      })),
  );
  return candidates.filter(({ isUsable }) => isUsable).toSorted((a, b) => a.rank - b.rank)[0]
    ?.address;
}
