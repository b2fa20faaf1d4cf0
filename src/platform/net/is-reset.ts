import { errorCode } from '../../kernel/error-code.ts';

const codes: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** True if the server closed the connection. Servers close idle connections, sometimes just as they are reused. */
export function isReset(error: unknown): boolean {
  return codes.has(errorCode(error));
}
