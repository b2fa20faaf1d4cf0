import { errorCode } from '../../kernel/error-code.ts';

const codes: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** True if the other side closed the connection, as servers do with an idle one, perhaps just as it is reused. */
export function isReset(error: unknown): boolean {
  return codes.has(errorCode(error));
}
