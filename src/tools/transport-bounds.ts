/** What a tool server may send. */
export interface TransportBounds {
  /** Largest message, and largest body of an HTTP answer. */
  readonly maxMessageBytes: number;
  /** Most bytes between two messages of ours. */
  readonly maxUnaskedBytes: number;
}
