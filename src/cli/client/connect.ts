import { readServerRecord } from '../../home/server-record.ts';
import { createClient, type Client } from './client.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../failure.ts';

const defaultUrl = 'http://127.0.0.1:1234';

/**
 * A client for the server that the options name, else the one of the home folder, else the usual address.
 *
 * @throws UsageError for a `--host` that is no address.
 */
export async function connect(
  context: CommandContext,
  options: { readonly host?: string | undefined; readonly token?: string | undefined },
): Promise<Client> {
  const baseUrl =
    options.host === undefined
      ? ((await readServerRecord(context.home))?.url ?? defaultUrl)
      : parseHost(options.host);
  const token = options.token ?? context.environment['HEARTH_TOKEN'];
  return createClient({ baseUrl, token: token === '' ? undefined : token });
}

/** `192.168.1.5:1234` means `http://192.168.1.5:1234`. */
function parseHost(host: string): string {
  const text = /^[a-z]+:\/\//i.test(host) ? host : `http://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new UsageError(`--host: "${host}" is not an address such as http://192.168.1.5:1234.`);
}
