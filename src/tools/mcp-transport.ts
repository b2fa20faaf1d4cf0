import type { Transport } from '@modelcontextprotocol/client';

/** Bounds on what a tool server may send. */
export interface TransportBounds {
  /** Largest message, and largest body of an HTTP response. */
  readonly maxMessageBytes: number;
  /** Most bytes between two messages of ours. */
  readonly maxUnaskedBytes: number;
}

/** The connection of one turn to one tool server. */
export interface McpTransport {
  /** Tried in this order: the next one where the server refuses the one before. */
  readonly transports: readonly (() => Transport)[];
  /** Rejects when the connection breaks and the protocol client does not notice; never resolves. */
  readonly broken: Promise<never>;
  /** Why the connection failed, where the transport knows more than the protocol client: a text, or an error. */
  failure(): unknown;
  /** Closes the connection, and ends its process. */
  close(): Promise<void>;
}
