import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import type { PublicEgress } from './address-policy.ts';
import { createHttpClient } from './http-client.ts';
import { HttpFailure } from './http-failure.ts';

interface RemoteFileLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Reads a file from a URL that a client chose. Uses no proxy: a proxy would resolve the name itself, so the address
 * could not be checked.
 *
 * @throws HttpFailure, `refused` for an address that the policy forbids; the signal's reason when aborted.
 */
export async function readRemoteFile(
  url: URL,
  egress: PublicEgress,
  { maxBytes, timeoutMs }: RemoteFileLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const http = createHttpClient({ environment: {}, egress, idleTimeoutMs: timeoutMs });
  try {
    return await withTimeout(timeoutMs, signal, async (inner) => {
      const response = await http.get(url, { signal: inner, maxBytes });
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body) pieces.push(piece);
      return Buffer.concat(pieces);
    });
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new HttpFailure('timeout', `${url.host} took more than ${timeoutMs / 1000} s`);
  } finally {
    await http.close();
  }
}
