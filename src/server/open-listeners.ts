import type { Settings } from '../settings/settings-table.ts';
import type { HonoApp } from '../api/kit/app-environment.ts';
import { listen, type ListeningServer } from './server.ts';
import { pathOf } from './web/public-path.ts';
import { openTlsFiles } from './tls-files.ts';
import type { Logger } from '../kernel/logger.ts';

interface Listeners {
  readonly url: string;
  /** SHA-256 of the present certificate; undefined without HTTPS. */
  readonly fingerprint: string | undefined;
  /** Calls `work` after each change of the certificate. */
  onNewCertificate(work: () => Promise<void>): void;
  /** Stops watching the certificate files. */
  stopRenewal(): void;
  /** Waits for running requests, then closes all sockets. */
  close(): Promise<void>;
}

/** If a client does not read its response for this time, the response is ended to free its slot. */
export const stallLimitMs = 60_000;

interface ListenersOptions {
  readonly app: HonoApp;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** Response of `GET /` on the second port, which clients of Ollama check. */
const ollamaGreeting = 'Ollama is running';

/**
 * Listens on the port of the settings, and on the second port if there is one. Uses HTTPS if the settings name a
 * certificate.
 *
 * @throws Error if the certificate or an address can't be used.
 */
export async function openListeners(options: ListenersOptions): Promise<Listeners> {
  const { app, settings, logger } = options;
  const { 'server.tls.cert': certFile, 'server.tls.key': keyFile } = settings;
  const servers: ListeningServer[] = [];
  let announce = async (): Promise<void> => {};
  let fingerprint: string | undefined;
  const tls =
    certFile === undefined || keyFile === undefined
      ? undefined
      : await openTlsFiles({
          certFile,
          keyFile,
          logger,
          onChange: async (pair) => {
            for (const server of servers) server.setCertificate(pair);
            ({ fingerprint } = pair);
            await announce();
          },
        });
  fingerprint = tls?.first.fingerprint;

  const close = async (): Promise<void> => {
    tls?.close();
    const graceMs = settings['limits.shutdownSeconds'] * 1000;
    await Promise.all(servers.map((server) => server.close(graceMs)));
  };
  const host = settings['server.host'];
  const pathPrefix = pathOf(settings['server.publicUrl']);
  const shared = { app, host, tls: tls?.first, stallLimitMs, pathPrefix, logger };
  try {
    const first = await listen({ ...shared, port: settings['server.port'] });
    servers.push(first);
    const secondPort = settings['server.listenAlso'];
    if (secondPort !== undefined) {
      const second = await listen({
        ...shared,
        port: secondPort,
        portSetting: 'server.listenAlso',
        ...(settings['surfaces.ollama'] ? { greeting: ollamaGreeting } : {}),
      });
      servers.push(second);
      logger.info({ url: second.url }, 'listening also');
    }
    return {
      url: first.url,
      get fingerprint() {
        return fingerprint;
      },
      onNewCertificate: (work) => {
        announce = work;
      },
      stopRenewal: () => tls?.close(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
