/** What a tool server may send. */
export interface TransportBounds {
  /** Largest message, and largest body of an HTTP answer. */
  readonly maximumMessageBytes: number;
  /** Most bytes between two messages of ours. */
  readonly maximumUnaskedBytes: number;
}
