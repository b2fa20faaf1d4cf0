import type { Transport } from '@modelcontextprotocol/client';

/** Limits for a tool server. */
export interface TransportBounds {
  /** Maximum size of a message, and of the body of an HTTP response. */
  readonly maxMessageBytes: number;
  /** Maximum number of JSON values of a message. */
  readonly maxMessageValues: number;
  /** Maximum number of bytes between two messages of the client. */
  readonly maxUnaskedBytes: number;
}

/** The connection of one turn to one tool server. */
export interface McpTransport {
  /** Tried in this order until the server accepts one. */
  readonly transports: readonly (() => Transport)[];
  /** Rejects if the connection breaks without the protocol client noticing; never resolves. */
  readonly broken: Promise<never>;
  /** The reason of the failure, if the transport knows more than the protocol client: a text or an error. */
  failure(): unknown;
  /** Closes the connection, and stops its process. */
  close(): Promise<void>;
}

/** A tool server can't be used; the message says why, `cause` is the error. */
export class ServerUnusableError extends Error {
  override readonly name = 'ServerUnusableError';
}
