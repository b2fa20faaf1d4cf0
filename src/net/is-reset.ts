import { errorCode } from '../error-code.ts';

/** Whether the other side closed the connection, as servers do with an idle one, perhaps just as it is reused. */
export function isReset(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
}
