import { createHash, type X509Certificate } from 'node:crypto';
import { connect, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { HttpFailure, toHttpFailure } from './http-failure.ts';

/** `SHA256:` and the public key's hash in base64, as OpenSSH shows keys. A renewed certificate may keep its key. */
export function keyFingerprint({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(key).digest('base64').replaceAll('=', '')}`;
}

/** A server's key is not the expected one. Nothing was sent to the server. */
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

/** Disables the check of certificates, since the key is checked instead. */
const unchecked = { rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;

/** Opens connections only to servers with this key, regardless of their certificates and names. */
export function pinnedConnector(expected: string, timeoutMs: number): buildConnector.connector {
  // A resumed session would have no certificate to check.
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
 * Reads the fingerprint of a server's key, without sending a request.
 *
 * @throws HttpFailure `unreachable` if the server does not answer with TLS in time; the signal's reason.
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
