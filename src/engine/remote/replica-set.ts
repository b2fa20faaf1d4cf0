import { orderReplicas } from './choose-replicas.ts';
import { Circuit } from './circuit.ts';
import { isBusy, isReplicaFault, toUpstreamError, unavailable } from './upstream-failure.ts';

/** One address of an upstream, with its health. */
export interface ReplicaStatus {
  readonly url: string;
  readonly state: 'closed' | 'open' | 'half-open';
  /** Requests in flight. */
  readonly active: number;
}

interface Replica {
  readonly url: string;
  readonly circuit: Circuit;
  active: number;
}

/** The replicas of one upstream. */
export class ReplicaSet {
  readonly #upstream: string;
  readonly #replicas: readonly Replica[];

  constructor(upstream: string, urls: readonly string[], now?: () => number) {
    this.#upstream = upstream;
    this.#replicas = urls.map((url) => ({ url, circuit: new Circuit(now), active: 0 }));
  }

  describe(): readonly ReplicaStatus[] {
    return this.#replicas.map(({ url, circuit, active }) => ({
      url,
      state: circuit.state,
      active,
    }));
  }

  /**
   * Runs a request on the preferred replica, and on the next one if that fails before the request has shown anything.
   *
   * @param key Requests with the same key prefer the same replica.
   * @param hasOutput Whether the client has seen a part of the answer, after which nothing is repeated.
   * @throws HearthError `upstream_error`, `upstream_unavailable`, and those of a refused request; the signal's reason.
   */
  async *stream<T>(
    key: string,
    signal: AbortSignal,
    work: (url: string) => AsyncIterable<T>,
    hasOutput: () => boolean,
  ): AsyncGenerator<T, void, void> {
    let failure: unknown;
    for (const replica of this.#candidates(key)) {
      const attempt = this.#begin(replica);
      try {
        yield* work(replica.url);
        attempt.succeed();
        return;
      } catch (error) {
        signal.throwIfAborted();
        attempt.fail(error);
        if (hasOutput() || !isReplicaFault(error)) throw toUpstreamError(error, this.#upstream);
        failure = error;
      } finally {
        attempt.end();
      }
    }
    throw toUpstreamError(failure, this.#upstream);
  }

  /** Like `stream`, for a request with one answer. */
  async run<T>(key: string, signal: AbortSignal, work: (url: string) => Promise<T>): Promise<T> {
    const once = async function* (url: string): AsyncGenerator<T> {
      yield await work(url);
    };
    for await (const answer of this.stream(key, signal, once, () => false)) return answer;
    throw new Error('A request had no answer.');
  }

  /** @throws HearthError `upstream_unavailable` if all circuits are open. */
  #candidates(key: string): readonly Replica[] {
    const passable = this.#replicas.filter(({ circuit }) => circuit.isPassable);
    if (passable.length > 0) return orderReplicas(passable, key);
    const waitMs = Math.min(...this.#replicas.map(({ circuit }) => circuit.waitMs));
    throw unavailable(this.#upstream, 'its last requests failed', waitMs / 1000);
  }

  #begin(replica: Replica) {
    const { circuit } = replica;
    let isDecided = false;
    replica.active += 1;
    circuit.begin();
    return {
      succeed: () => {
        isDecided = true;
        circuit.succeed();
      },
      fail: (error: unknown) => {
        isDecided = true;
        // A replica that refuses a request, or is busy, works.
        if (isReplicaFault(error) && !isBusy(error)) circuit.fail();
        else circuit.succeed();
      },
      end: () => {
        replica.active -= 1;
        if (!isDecided) circuit.cancel();
      },
    };
  }
}
