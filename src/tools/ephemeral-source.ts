import { validateHeaderName, validateHeaderValue } from 'node:http';
import { HearthError } from '../kernel/errors/errors.ts';
import {
  AddressRefused,
  createAddressPolicy,
  type ResolveAddresses,
} from '../platform/net/address-policy.ts';
import { HttpFailure } from '../platform/net/http-failure.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { TransportBounds } from './mcp-transport.ts';
import type { ConnectionLimits } from './server-connection.ts';
import { ServerUnusableError } from './mcp-transport.ts';
import type { ToolSource } from './tool-source.ts';
import type { Integration } from './toolbox.ts';

export interface EphemeralSourceOptions {
  /** `name` or `name:port`: hosts whose addresses may be private. */
  readonly allowedHosts: readonly string[];
  readonly limits: ConnectionLimits;
  readonly bounds: TransportBounds;
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: ResolveAddresses | undefined;
}

type EphemeralIntegration = Extract<Integration, { readonly type: 'ephemeralMcp' }>;

/**
 * Validates a tool server that a request names by URL. Does not resolve host names yet, so `open` checks addresses
 * again.
 *
 * @param field Domain path of the integration.
 * @throws HearthError `invalid_value` for a URL or header that can't be used, `forbidden` for an address that is not
 * allowed.
 */
export function ephemeralSource(
  { serverLabel: label, serverUrl, headers = {} }: EphemeralIntegration,
  field: string,
  options: EphemeralSourceOptions,
): ToolSource {
  const { allowedHosts, resolve, limits, bounds } = options;
  const url = parseServerUrl(serverUrl, `${field}.serverUrl`);
  assertHeaders(headers, `${field}.headers`);
  const egress = {
    type: 'public',
    allowedHosts,
    concealsNames: true,
    ...omitUndefined({ resolve }),
  } as const;

  function refused(reason: string, cause: unknown): HearthError {
    const message =
      `The tool server ${JSON.stringify(label)} may not be reached: ${reason}. ` +
      'The setting mcp.allowedHosts lists the hosts that may have such addresses.';
    return new HearthError('forbidden', message, { field: `${field}.serverUrl`, cause });
  }

  try {
    createAddressPolicy(egress).assertUrl(url);
  } catch (error) {
    throw error instanceof AddressRefused ? refused(error.message, error) : error;
  }

  return {
    label,
    provider: { type: 'ephemeralMcp', serverLabel: label },
    open: async ({ logger, signal }) => {
      const { connectServer, createHttpTransport } = await import('./mcp-client.ts');
      const transport = createHttpTransport({
        url,
        headers,
        egress,
        // A proxy is not used, since it would resolve the name itself and the address could not be checked.
        environment: {},
        bounds,
        limits,
      });
      const serverLogger = logger.child({ ephemeralServer: url.host });
      try {
        return await connectServer(transport, limits, serverLogger, signal);
      } catch (error) {
        if (!(error instanceof ServerUnusableError)) throw error;
        if (error.cause instanceof HttpFailure && error.cause.reason === 'refused') {
          throw refused(error.message, error);
        }
        const message = `The tool server ${JSON.stringify(label)} can't be used: ${error.message}.`;
        throw new HearthError('mcp_unreachable', message, { field, cause: error });
      }
    },
  };
}

function parseServerUrl(text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    const message = 'The URL of a tool server must be an http or https URL.';
    throw new HearthError('invalid_value', message, { field });
  }
  if (url.username !== '' || url.password !== '') {
    const message =
      'The URL of a tool server must not contain a user and password; send them in headers.';
    throw new HearthError('invalid_value', message, { field });
  }
  return url;
}

/** Headers of the connection or the message, which the HTTP client sets or drops. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function assertHeaders(headers: Readonly<Record<string, string>>, field: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (connectionHeaders.has(name.toLowerCase())) {
      const message = `The header "${name}" can't be sent to a tool server: Hearth sets it from the URL and the connection.`;
      throw new HearthError('invalid_value', message, { field });
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      const message = `${JSON.stringify(name.slice(0, 100))} is not a valid HTTP header.`;
      throw new HearthError('invalid_value', message, { field });
    }
  }
}
