import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { createClient, type Client } from './client.ts';
import { findHomeServer } from './find-home-server.ts';

export interface ConnectionOptions {
  readonly host?: string | undefined;
  readonly token?: string | undefined;
  /** True if the requests need the permission `admin`, which the owner of the home has. */
  readonly isForAdmin?: boolean;
}

/**
 * Connects to the server of `--host` or HEARTH_HOST, or else to the server of the home folder. The home's server needs
 * no token, since a file in the home folder authenticates its owner.
 *
 * @throws UsageError if the address is not a URL; the errors of `findHomeServer`.
 */
export async function connect(
  context: CommandContext,
  options: ConnectionOptions,
): Promise<Client> {
  const { environment } = context;
  const token = options.token ?? nonEmpty(environment['HEARTH_TOKEN']);
  const variable = nonEmpty(environment['HEARTH_HOST']);
  if (options.host !== undefined || variable !== undefined) {
    const baseUrl =
      options.host === undefined
        ? parseHost('HEARTH_HOST', variable ?? '')
        : parseHost('--host', options.host);
    return createClient({ baseUrl, token });
  }
  const { baseUrl, ownerToken, certificate } = await findHomeServer(context, options);
  return createClient({ baseUrl, token: token ?? ownerToken, certificate });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Accepts `192.168.1.5:1234` for `http://192.168.1.5:1234`. */
function parseHost(source: string, host: string): string {
  const text = /^[a-z]+:\/\//i.test(host) ? host : `http://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    // Behind a proxy, all paths of the server may begin with a prefix.
    return url.origin + url.pathname.replace(/\/+$/, '');
  }
  throw new UsageError(`${source}: "${host}" is not a URL such as http://192.168.1.5:1234.`);
}
