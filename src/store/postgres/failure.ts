import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';

const retryAfterSeconds = 5;

/**
 * Reasons why a statement may succeed later, by SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const transientStates = new Map([
  ['25006', 'the database is read-only, as a standby is'],
  ['25P03', 'a transaction took too long'],
  ['28000', 'it refused the user'],
  ['28P01', 'it refused the password'],
  ['3D000', 'the database does not exist'],
  ['40001', 'other transactions were in the way'],
  ['40P01', 'other transactions were in the way'],
  ['53200', 'its server has too little memory'],
  ['53300', 'it has too many connections'],
  ['53400', 'it has reached a limit'],
  ['55P03', 'another transaction locks it'],
  ['57014', 'a statement took too long'],
  ['57P01', 'its server is stopping'],
  ['57P02', 'its server crashed and recovers'],
  ['57P03', 'its server is starting'],
  ['57P05', 'the connection was closed'],
]);

const networkErrors = new Map([
  ['ECONNREFUSED', 'no server accepts connections there'],
  ['ENOENT', 'no server accepts connections there'],
  ['EACCES', 'its socket cannot be opened'],
  ['ECONNRESET', 'the connection was lost'],
  ['EPIPE', 'the connection was lost'],
  ['ETIMEDOUT', 'its server does not respond'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its host cannot be reached'],
  ['ENOTFOUND', 'its host name is unknown'],
  ['EAI_AGAIN', 'its host name cannot be resolved'],
]);

/** Errors of `pg` without a code. */
const driverErrors: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated|connection error and is not queryable/, 'the connection was lost'],
  [/^timeout exceeded when trying to connect/, 'no connection became free in time'],
  [/^Query read timeout/, 'its server does not respond'],
  [/^The server does not support SSL/, 'its server does not support TLS'],
];

/** The database can't be used at the moment. */
export class StoreUnavailableError extends HearthError {
  /** True if the transaction may have been committed. */
  readonly isCommitUnknown: boolean;

  constructor(reason: string, cause: unknown, isCommitUnknown = false) {
    super('store_unavailable', `The database is not available: ${reason}.`, {
      cause,
      retryAfterSeconds,
    });
    this.isCommitUnknown = isCommitUnknown;
  }
}

/** The reason of a failure that may pass; undefined for other errors. */
export function transientReason(error: unknown): string | undefined {
  const code = errorCode(error) ?? '';
  const reason = transientStates.get(code) ?? networkErrors.get(code);
  if (reason !== undefined) return reason;
  if (code.startsWith('08')) return 'the connection was lost';
  if (!(error instanceof Error)) return undefined;
  return driverErrors.find(([pattern]) => pattern.test(error.message))?.[1];
}

/** True if a connection can't be used any more: it was lost, or its server was replaced. */
export function breaksConnection(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  if (code === '25006' || code.startsWith('57P') || code.startsWith('08')) return true;
  return networkErrors.has(code) || (code === '' && transientReason(error) !== undefined);
}
