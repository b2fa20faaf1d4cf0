import { readServerRecord } from '../../home/server-record.ts';
import { createClient, type Client } from './client.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../failure.ts';

const defaultUrl = 'http://127.0.0.1:1234';

/**
 * Connects to the server that the options name, or to that of the home folder, or to the default address.
 *
 * @throws UsageError if `--host` is not a URL.
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

/** Accepts `192.168.1.5:1234` for `http://192.168.1.5:1234`. */
function parseHost(host: string): string {
  const text = /^[a-z]+:\/\//i.test(host) ? host : `http://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new UsageError(`--host: "${host}" is not a URL such as http://192.168.1.5:1234.`);
}
