import type { PublicEgress } from '../../platform/net/address-policy.ts';

export const defaultHubEndpoint = 'https://huggingface.co';

/** The address of a hub for display, without the user name and password that a mirror may require. */
export function hubAddress(endpoint: string): URL {
  const url = new URL(endpoint);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url;
}

/** The URL to which paths are appended; mirrors may have a path. */
export function hubBase({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** The credentials for the hub: the token, else the user name and password in the endpoint. */
export function hubHeaders(
  endpoint: string,
  token: string | undefined,
): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  const { username, password } = new URL(endpoint);
  if (username === '' && password === '') return {};
  const pair = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * The hub itself may have any address, since the operator configured it; its redirects must lead to public
 * addresses.
 *
 * @param endpoint The endpoint of `createHub`.
 */
export function hubEgressPolicy(endpoint: string = defaultHubEndpoint): PublicEgress {
  const { hostname, port, protocol } = new URL(endpoint);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return { type: 'public', allowedHosts: [`${hostname}:${port === '' ? defaultPort : port}`] };
}
