import { createHash, type X509Certificate } from 'node:crypto';
import { connect, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { HttpFailure, toHttpFailure } from './http-failure.ts';

/** `SHA256:` and the hash of the public key in base64, as OpenSSH shows keys. A renewed certificate may keep its key. */
export function keyFingerprint({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(key).digest('base64').replaceAll('=', '')}`;
}

/** A server has another key than expected. Nothing was sent to it. */
export class KeyMismatch extends Error {
  override readonly name = 'KeyMismatch';
  readonly expected: string;
  readonly actual: string;

  constructor(expected: string, actual: string) {
    super(`the server has the key ${actual}, not ${expected}`);
    this.expected = expected;
    this.actual = actual;
  }
}

/** The certificate of a server is not checked, but its key. */
const unchecked = { rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;

/** Opens connections to servers with this key only, whatever their certificates and names are. */
export function pinnedConnector(expected: string, timeoutMs: number): buildConnector.connector {
  // A resumed session would not show the certificate.
  const open = buildConnector({ ...unchecked, timeout: timeoutMs, maxCachedSessions: 0 });
  return (target, callback) => {
    open(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      const actual = fingerprintOf(socket);
      if (actual === expected) return callback(null, socket);
      socket.destroy();
      return callback(new KeyMismatch(expected, actual), null);
    });
  };
}

/**
 * The fingerprint of the key of a server, which is asked for nothing.
 *
 * @throws HttpFailure `unreachable` if it does not answer with TLS within the time; the signal's reason.
 */
export async function readServerKey(
  { hostname, port }: Pick<URL, 'hostname' | 'port'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted();
  const host = hostname.replaceAll(/[[\]]/gu, '');
  const socket = connect({ ...unchecked, host, port: Number(port || 443) });
  const stop = () => socket.destroy(new Error('aborted'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.setTimeout(timeoutMs, () => reject(new HttpFailure('timeout', 'no answer')));
    });
    return fingerprintOf(socket);
  } catch (error) {
    const message = `${hostname}:${port} can't be reached`;
    throw toHttpFailure(error, 'unreachable', message, { signal });
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

function fingerprintOf(socket: unknown): string {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  return certificate === undefined ? 'none' : keyFingerprint(certificate);
}
