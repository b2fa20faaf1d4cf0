/** A part of a request that is measured. */
export type PhaseSubject =
  /** Waiting for a slot, and for the memory of a load. */
  | { readonly name: 'queue' }
  | { readonly name: 'load' }
  | {
      readonly name: 'tool';
      readonly tool: string;
      /** `mcp/<plugin>`, or the label of an ephemeral server. */
      readonly provider: string;
      readonly providerType: 'plugin' | 'ephemeral_mcp';
    }
  | { readonly name: 'store' };

/** Times are values of `performance.now()`. */
export class Phase {
  readonly subject: PhaseSubject;
  /** Of its span; empty if the request is not traced. */
  readonly spanId: string;
  startMs = performance.now();
  /** Undefined while it lasts. */
  endMs: number | undefined;
  hasFailed = false;
  readonly #onEnd: (phase: Phase) => void;

  constructor(subject: PhaseSubject, spanId: string, onEnd: (phase: Phase) => void) {
    this.subject = subject;
    this.spanId = spanId;
    this.#onEnd = onEnd;
  }

  get seconds(): number {
    return ((this.endMs ?? performance.now()) - this.startMs) / 1000;
  }

  /** Ends it; what it did for longer than these seconds was to wait. */
  endAfter(seconds: number): void {
    this.startMs = Math.max(this.startMs, performance.now() - seconds * 1000);
    this.end();
  }

  /** A second call does nothing. */
  end({ hasFailed = false } = {}): void {
    if (this.endMs !== undefined) return;
    this.endMs = performance.now();
    this.hasFailed = hasFailed;
    this.#onEnd(this);
  }
}
