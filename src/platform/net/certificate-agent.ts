import type { Duplex } from 'node:stream';
import { Agent } from 'node:https';
import { connect, type ConnectionOptions } from 'node:tls';

export { request } from 'node:https';

const keepingConnections = { keepAlive: true };
const trusting = new Agent(keepingConnections);
const pinned = new Map<string, Agent>();

/** Creates an agent for servers with this certificate; if undefined, with any that the system trusts for the host. */
export function agentFor(certificate: string | undefined): Agent {
  if (certificate === undefined) return trusting;
  const agent = pinned.get(certificate) ?? new PinnedAgent(certificate);
  pinned.set(certificate, agent);
  return agent;
}

/** Accepts one certificate, regardless of who signed it. */
class PinnedAgent extends Agent {
  readonly #certificate: string;

  constructor(certificate: string) {
    super(keepingConnections);
    this.#certificate = certificate;
  }

  /** Passes the connection on only after its certificate is verified, so that no request reaches another server. */
  override createConnection(
    options: ConnectionOptions,
    callback: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    // The caller ignores all calls but the first.
    socket.once('error', callback);
    socket.once('secureConnect', () => {
      if (socket.getPeerX509Certificate()?.fingerprint256 === this.#certificate) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new Error('its certificate does not belong to the server of this home folder'));
    });
  }
}
