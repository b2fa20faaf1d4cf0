/** A tool server can't be used; the message says why, `cause` is the error. */
export class ServerUnusableError extends Error {
  override readonly name = 'ServerUnusableError';
}
