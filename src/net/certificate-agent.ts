import type { Duplex } from 'node:stream';
import { Agent } from 'node:https';
import { connect, type ConnectionOptions } from 'node:tls';

export { request } from 'node:https';

const trusting = new Agent({ keepAlive: true });
const pinned = new Map<string, Agent>();

/** Connections to a server with this certificate; undefined: with one that the system trusts for the host. */
export function agentFor(certificate: string | undefined): Agent {
  if (certificate === undefined) return trusting;
  const agent = pinned.get(certificate) ?? new PinnedAgent(certificate);
  pinned.set(certificate, agent);
  return agent;
}

/** Accepts one certificate, in place of those that an authority signed for the host. */
class PinnedAgent extends Agent {
  readonly #certificate: string;

  constructor(certificate: string) {
    // A resumed session shows no certificate.
    super({ keepAlive: true, maxCachedSessions: 0 });
    this.#certificate = certificate;
  }

  /** Gives out the connection once its certificate is known, so that no request goes to another server. */
  override createConnection(
    options: ConnectionOptions,
    callback: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    const onError = (error: Error): void => callback(error);
    socket.once('error', onError);
    socket.once('secureConnect', () => {
      socket.off('error', onError);
      if (socket.getPeerX509Certificate()?.fingerprint256 === this.#certificate) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new Error('its certificate is not that of the server of this home folder'));
    });
  }
}
