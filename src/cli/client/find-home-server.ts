import { readHomeId } from '../../platform/home/home-id.ts';
import { readOwnerToken } from '../../platform/home/owner-token.ts';
import { readServerRecord } from '../../platform/home/server-record.ts';
import type { CommandContext } from '../command.ts';
import { formatPath } from '../ui/format-path.ts';
import { ServerUnreachableError } from './client-error.ts';
import { probeServer, type ProbeResult } from './probe-server.ts';

export interface HomeServer {
  readonly baseUrl: string;
  /** Token of the home's owner; undefined if the request needs none, or the server belongs to another owner. */
  readonly ownerToken?: string | undefined;
  /** SHA-256 of the expected certificate. */
  readonly certificate?: string | undefined;
}

/**
 * Finds the server for the commands of a home folder: the home's recorded server, the system service's server, or a
 * server on the home's configured port. The first and the last must have the id of the home, so that a command never
 * reaches the server of another home.
 *
 * @throws ServerUnreachableError
 */
export async function findHomeServer(
  context: CommandContext,
  { isForAdmin = false }: { readonly isForAdmin?: boolean } = {},
): Promise<HomeServer> {
  const { home, serviceFolder, signal } = context;
  const homeId = await readHomeId(home);
  const isOwn = (result: ProbeResult): boolean =>
    result.kind === 'hearth' && result.homeId === homeId;

  const record = await readServerRecord(home);
  if (record !== undefined) {
    const certificate = record.certificate_sha256;
    const result = await probeServer(record.url, signal, certificate);
    // The token is sent only if needed, since objects that it creates would belong to the owner alone.
    if (isOwn(result)) {
      const isNeeded = isForAdmin || record.requires_token === true;
      const ownerToken = isNeeded ? await readOwnerToken(home) : undefined;
      return { baseUrl: record.url, ownerToken, certificate };
    }
  }

  const service = serviceFolder === undefined ? undefined : await readServerRecord(serviceFolder);
  if (service !== undefined) {
    const certificate = service.certificate_sha256;
    const { kind } = await probeServer(service.url, signal, certificate);
    if (kind === 'hearth') return { baseUrl: service.url, certificate };
  }

  const configuredUrl = await readConfiguredUrl(context);
  if (configuredUrl === undefined) throw notRunning(home);
  const result = await probeServer(configuredUrl, signal);
  if (isOwn(result)) return { baseUrl: configuredUrl };
  throw notRunning(home, { url: configuredUrl, result });
}

/** Undefined if the server chooses a free port. */
async function readConfiguredUrl({
  home,
  environment,
}: CommandContext): Promise<string | undefined> {
  // Imported here, since creating the schemas of all settings takes time.
  const { loadSettings } = await import('../../settings/settings.ts');
  const settings = await loadSettings({ home, environment, flags: {} });
  const port = settings['server.port'];
  if (port === 0) return undefined;
  const host = settings['server.host'];
  const scheme = settings['server.tls.cert'] === undefined ? 'http' : 'https';
  if (host === '0.0.0.0') return `${scheme}://127.0.0.1:${port}`;
  if (host === '::') return `${scheme}://[::1]:${port}`;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function notRunning(
  home: string,
  found?: { readonly url: string; readonly result: ProbeResult },
): ServerUnreachableError {
  const advice = 'Start it with `hearth serve`, or in the background with `hearth server start`.';
  const sentences = [`Hearth is not running for the home folder ${formatPath(home)}.`, advice];
  if (found?.result.kind === 'hearth') {
    sentences.push(
      `The server at ${found.url} belongs to another home folder. To use it, add --host ${found.url}.`,
    );
  } else if (found?.result.kind === 'foreign') {
    sentences.push(
      `The program at ${found.url} is not Hearth. While it runs, start Hearth on another port with --port.`,
    );
  }
  return new ServerUnreachableError(sentences.join(' '));
}
