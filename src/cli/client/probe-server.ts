import * as z from 'zod';
import { getHealth } from '../../api/monitoring/health-schema.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import {
  readText,
  sendApiRequest,
  TransportError,
} from '../../platform/net/api-client-transport.ts';
import { isConnectFailure } from './client-error.ts';

export type ProbeResult =
  | { readonly kind: 'hearth'; readonly homeId: string }
  /** Another program answered. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreachable' };

const healthSchema = z.object({ status: z.literal('ok'), home_id: z.string() });
const maxProbeMs = 5000;
const maxProbeBytes = 64 * 1024;

/**
 * Identifies the server at a URL, without a token.
 *
 * @throws the signal's reason when aborted.
 */
export async function probeServer(
  baseUrl: string,
  signal: AbortSignal,
  certificate?: string,
): Promise<ProbeResult> {
  const limit = AbortSignal.timeout(maxProbeMs);
  try {
    const response = await sendApiRequest({
      method: 'GET',
      url: new URL(baseUrl + getHealth.path),
      headers: {},
      signal: AbortSignal.any([signal, limit]),
      certificate,
    });
    const text = (await readText(response, maxProbeBytes)) ?? '';
    const health = healthSchema.safeParse(parseJson(text), { jitless: true });
    if (health.success) return { kind: 'hearth', homeId: health.data.home_id };
    return { kind: 'foreign' };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { kind: 'foreign' };
    if (!(error instanceof TransportError)) throw error;
    // Any other failure comes from a program that does not speak HTTP.
    return { kind: isConnectFailure(error) ? 'unreachable' : 'foreign' };
  }
}

const maxSchemeProbeMs = 3000;

/**
 * Finds out whether a request failed because the server speaks HTTPS instead of HTTP, or the reverse.
 *
 * @returns The scheme that the server speaks; undefined if the failure has another reason.
 */
export async function findOtherScheme(
  error: TransportError,
  baseUrl: string,
  signal: AbortSignal,
): Promise<'http' | 'https' | undefined> {
  if (isConnectFailure(error)) return undefined;
  if (baseUrl.startsWith('https:')) return isAnswerWithoutTls(error) ? 'http' : undefined;
  // An HTTPS server closes a connection that does not begin with a handshake.
  if (error.code !== 'ECONNRESET' && error.code !== 'UND_ERR_SOCKET') return undefined;
  try {
    const answer = await sendApiRequest({
      method: 'GET',
      url: new URL(`${baseUrl.replace(/^http:/, 'https:')}/health`),
      headers: {},
      signal: AbortSignal.any([signal, AbortSignal.timeout(maxSchemeProbeMs)]),
      certificate: undefined,
    });
    // Leaving the loop closes the connection.
    for await (const _ of answer.chunks) break;
    return 'https';
  } catch (failure) {
    if (!(failure instanceof TransportError)) return undefined;
    return isCertificateError(failure) ? 'https' : undefined;
  }
}

/** Accepts several names, since they differ between versions of OpenSSL. */
function isAnswerWithoutTls({ code, message }: TransportError): boolean {
  const names = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];
  const isNamed = code !== undefined && names.includes(code);
  return isNamed || /wrong version number|packet length too long/i.test(message);
}

/** True if the handshake took place, but the server's certificate is not trusted. */
function isCertificateError({ code = '', message }: TransportError): boolean {
  return /CERT|SIGNATURE|ALTNAME/.test(code) || /certificate/i.test(message);
}
