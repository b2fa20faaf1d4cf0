import type { Transport } from '@modelcontextprotocol/client';

/** A way to one tool server, for one turn. */
export interface McpTransport {
  /** To be tried in this order: the next one where the server refuses the first. */
  readonly transports: readonly (() => Transport)[];
  /** Rejects when the connection breaks in a way that the protocol does not notice; never resolves. */
  readonly broken: Promise<never>;
  /** What went wrong, where it knows better than the protocol: words, or an error. */
  failure(): unknown;
  /** Ends the connection and whatever belongs to it. */
  close(): Promise<void>;
}
