import type { Circuit } from './circuit.ts';
import { isBusy, isClosedBefore, isReplicaFault, toUpstreamError } from './upstream-failure.ts';

export interface Replica {
  readonly url: string;
  readonly circuit: Circuit;
  /** Requests in flight. */
  active: number;
}

interface AttemptOptions {
  /** For messages. */
  readonly upstream: string;
  readonly signal: AbortSignal;
  /** Who gets the request next if this fails: another replica, the same one for a closed connection only, or none. */
  readonly next: 'other' | 'same' | 'none';
}

/** One try of a request on a replica, which counts as running until `end`. */
export class Attempt {
  readonly url: string;
  readonly #replica: Replica;
  readonly #options: AttemptOptions;

  constructor(replica: Replica, options: AttemptOptions) {
    this.url = replica.url;
    this.#replica = replica;
    this.#options = options;
    replica.active += 1;
  }

  succeed(): void {
    this.#replica.circuit.succeed();
  }

  /**
   * Returns if the request may be tried again.
   *
   * @param hasOutput Whether the client has seen a part of the answer, after which nothing is repeated.
   * @throws HearthError the error of the request, if it is not to be repeated; the signal's reason.
   */
  fail(error: unknown, hasOutput = false): void {
    const { upstream, signal, next } = this.#options;
    signal.throwIfAborted();
    // llama-server closes connections after streams; this says nothing bad about it.
    if (next === 'same' && isClosedBefore(error)) return;
    const { circuit } = this.#replica;
    const isFault = isReplicaFault(error);
    // A replica that refuses a request, or is busy, works.
    if (isFault && !isBusy(error)) circuit.fail();
    else circuit.succeed();
    if (next !== 'other' || hasOutput || !isFault) throw toUpstreamError(error, upstream);
  }

  /** Call it after each attempt, also an unfinished one. */
  end(): void {
    this.#replica.active -= 1;
  }
}
