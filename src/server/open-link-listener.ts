import { errorResponse } from '../api/kit/errors/error-response.ts';
import type { HonoApp } from '../api/kit/app-environment.ts';
import { requestIdOf } from '../api/kit/observe.ts';
import { serverErrors } from '../api/monitoring/api.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { LinkIdentity } from '../access/links/link-identity.ts';
import type { Settings } from '../settings/settings-table.ts';
import { stallLimitMs } from './open-listeners.ts';
import { listen, type ListeningServer } from './server.ts';

/** The only endpoints for linked machines; other paths are not found. */
const endpoints: ReadonlySet<string> = new Set([
  'GET /health',
  'GET /api/v1/links/models',
  'POST /api/v1/links/pair',
  'DELETE /api/v1/links/pair',
  'POST /v1/chat/completions',
  'POST /v1/completions',
  'POST /v1/embeddings',
  'POST /v1/rerank',
]);

interface LinkListenerOptions {
  readonly app: HonoApp;
  readonly settings: Settings;
  readonly identity: LinkIdentity;
  readonly logger: Logger;
}

/**
 * Listens for linked machines, over HTTPS with the key of this machine.
 *
 * @throws HearthError `conflict` if the port can't be used.
 */
export async function openLinkListener(
  options: LinkListenerOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { app, settings, identity, logger } = options;
  let server: ListeningServer;
  try {
    server = await listen({
      app: {
        fetch: (request, environment) =>
          endpoints.has(`${request.method} ${new URL(request.url).pathname}`)
            ? app.fetch(request, { ...environment, isLinked: true })
            : notFound(),
      },
      ...parseLinkAddress(settings),
      portSetting: 'server.linkAddress',
      tls: identity,
      stallLimitMs,
      logger,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new HearthError('conflict', message, { cause: error });
  }
  logger.info({ url: server.url }, 'listening for linked machines');
  const graceMs = settings['limits.shutdownSeconds'] * 1000;
  return { port: server.port, close: () => server.close(graceMs) };
}

/** @returns the host, without brackets, and the port */
export function parseLinkAddress({
  'server.linkAddress': address,
}: Pick<Settings, 'server.linkAddress'>): { readonly host: string; readonly port: number } {
  const end = address.lastIndexOf(':');
  const host = address.slice(0, end).replaceAll(/[[\]]/gu, '');
  return { host, port: Number(address.slice(end + 1)) };
}

function notFound(): Response {
  const error = new HearthError('not_found', 'Linked machines have no such endpoint.');
  return errorResponse(error, serverErrors, requestIdOf(undefined));
}
