import type { Transport } from '@modelcontextprotocol/client';

/** Limits for a tool server. */
export interface TransportBounds {
  /** Maximum size of a message, and of the body of an HTTP response. */
  readonly maxMessageBytes: number;
  /** Maximum number of JSON values in a message. */
  readonly maxMessageValues: number;
  /** Maximum number of bytes that a server may send between two messages of the client. */
  readonly maxUnaskedBytes: number;
}

/** The connection of one turn to one tool server. */
export interface McpTransport {
  /** Transports to try in this order until the server accepts one. */
  readonly transports: readonly (() => Transport)[];
  /** Rejects if the connection breaks and the protocol client does not notice; never resolves. */
  readonly broken: Promise<never>;
  /** The cause of a failure, as text or an error, if the transport knows more than the protocol client. */
  failure(): unknown;
  /** Closes the connection, and stops its process. */
  close(): Promise<void>;
}

/** A tool server can't be used; the message says why, `cause` is the error. */
export class ServerUnusableError extends Error {
  override readonly name = 'ServerUnusableError';
}
