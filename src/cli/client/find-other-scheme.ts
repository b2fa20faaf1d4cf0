import { sendApiRequest, TransportError } from '../../platform/net/api-client-transport.ts';
import { isConnectFailure } from './client-error.ts';

const maxProbeMs = 3000;

/**
 * Finds out whether a request failed because the server speaks the other one of HTTP and HTTPS.
 *
 * @returns the scheme that the server speaks; undefined if the failure has another reason.
 */
export async function findOtherScheme(
  error: TransportError,
  baseUrl: string,
  signal: AbortSignal,
): Promise<'http' | 'https' | undefined> {
  if (isConnectFailure(error)) return undefined;
  if (baseUrl.startsWith('https:')) return isAnswerWithoutTls(error) ? 'http' : undefined;
  // A server with HTTPS closes a connection that does not begin with a handshake.
  if (error.code !== 'ECONNRESET' && error.code !== 'UND_ERR_SOCKET') return undefined;
  try {
    const answer = await sendApiRequest({
      method: 'GET',
      url: new URL('/health', baseUrl.replace(/^http:/, 'https:')),
      headers: {},
      signal: AbortSignal.any([signal, AbortSignal.timeout(maxProbeMs)]),
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

/** The names of the error differ between the versions of OpenSSL. */
function isAnswerWithoutTls({ code, message }: TransportError): boolean {
  const names = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];
  const isNamed = code !== undefined && names.includes(code);
  return isNamed || /wrong version number|packet length too long/i.test(message);
}

/** The handshake took place, and the certificate of the server is not trusted. */
function isCertificateError({ code = '', message }: TransportError): boolean {
  return /CERT|SIGNATURE|ALTNAME/.test(code) || /certificate/i.test(message);
}
