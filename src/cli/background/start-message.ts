import { networkInterfaces } from 'node:os';

/** Settings that decide who can reach the server. */
interface ServerAccess {
  /** `server.host`. */
  readonly host: string;
  /** `auth.required`. */
  readonly isTokenRequired: boolean;
}

const maxNetworkUrls = 4;

/**
 * The first steps after a start: the addresses for other machines, and a request that works as printed.
 *
 * @param addresses Addresses of this machine.
 */
export function formatStartMessage(
  url: string,
  { host, isTokenRequired }: ServerAccess,
  addresses: readonly string[] = networkAddresses(),
  platform: NodeJS.Platform = process.platform,
): string {
  const isBoundToAll = host === '0.0.0.0' || host === '::';
  const networkUrls = isBoundToAll
    ? addresses.slice(0, maxNetworkUrls).map((address) => toNetworkUrl(url, address))
    : [];
  const header = isTokenRequired ? ' -H "Authorization: Bearer $HEARTH_TOKEN"' : '';
  const lines = [
    '',
    ...networkUrls.map((each) => `On your network: ${each}`),
    ...(isBoundToAll && !isTokenRequired
      ? ['Warning: Anyone on your network can use this server without a token.']
      : []),
    'Try it:',
    // cmd, PowerShell 5 and PowerShell 7 quote JSON differently, so Windows gets another example.
    platform === 'win32'
      ? '  hearth chat hearth/starter-chat "Hello!"'
      : `  curl ${url}/api/v1/chat -H 'Content-Type: application/json'${header} -d '{"model":"hearth/starter-chat","input":"Hello!"}'`,
    ...(isTokenRequired
      ? [
          'Clients send the header "Authorization: Bearer TOKEN". Create a token with `hearth token create --name NAME`.',
        ]
      : []),
    `Web app: ${url}/ (with all permissions: \`hearth open\`)`,
    `Documentation: ${url}/docs`,
    '',
  ];
  return lines.join('\n');
}

function toNetworkUrl(url: string, address: string): string {
  const networkUrl = new URL(url);
  networkUrl.hostname = address.includes(':') ? `[${address}]` : address;
  return networkUrl.origin;
}

/** IPv4 addresses by which other machines reach this one. */
function networkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}
