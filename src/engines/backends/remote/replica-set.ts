import { Attempt, type Replica } from './attempt.ts';
import { orderReplicas } from './choose-replicas.ts';
import { Circuit, type CircuitState } from './circuit.ts';
import { unavailable } from './upstream-failure.ts';

/** One address of an upstream, with its health. */
export interface ReplicaStatus {
  readonly url: string;
  readonly state: CircuitState;
  /** Requests in flight. */
  readonly active: number;
}

interface ReplicaSetOptions {
  /** Name of the upstream, for messages. */
  readonly upstream: string;
  readonly urls: readonly string[];
  /** Asks a replica for its health. Never rejects. */
  readonly isHealthy: (url: string) => Promise<boolean>;
  /** Ends the questions. */
  readonly signal: AbortSignal;
}

/** The replicas of one upstream. */
export class ReplicaSet {
  readonly #upstream: string;
  readonly #replicas: readonly Replica[];

  constructor({ upstream, urls, isHealthy, signal }: ReplicaSetOptions) {
    this.#upstream = upstream;
    this.#replicas = urls.map((url) => ({
      url,
      circuit: new Circuit({ isHealthy: () => isHealthy(url), signal }),
      active: 0,
    }));
  }

  describe(): readonly ReplicaStatus[] {
    return this.#replicas.map(({ url, circuit, active }) => ({
      url,
      state: circuit.state,
      active,
    }));
  }

  /**
   * Attempts at one request: on the preferred replica, then on the next ones, one after the other, and twice on the
   * last one. `fail` of each says whether there is another; a request that succeeded reads no further.
   *
   * @param key Requests with the same key prefer the same replica.
   * @throws HearthError `upstream_unavailable` if no replica may be asked now.
   */
  *attempts(key: string, signal: AbortSignal): Generator<Attempt, void, void> {
    const shared = { upstream: this.#upstream, signal };
    const candidates = this.#candidates(key);
    const last = candidates.at(-1);
    for (const replica of candidates) {
      yield new Attempt(replica, { ...shared, next: replica === last ? 'same' : 'other' });
    }
    if (last !== undefined) yield new Attempt(last, { ...shared, next: 'none' });
  }

  /**
   * Runs a request that has one answer.
   *
   * @throws HearthError `upstream_error`, `upstream_unavailable`, and those of a refused request; the signal's reason.
   */
  async run<T>(key: string, signal: AbortSignal, work: (url: string) => Promise<T>): Promise<T> {
    for (const attempt of this.attempts(key, signal)) {
      try {
        const answer = await work(attempt.url);
        attempt.succeed();
        return answer;
      } catch (error) {
        attempt.fail(error);
      } finally {
        attempt.end();
      }
    }
    throw new Error('A request had no answer.');
  }

  /** @throws HearthError `upstream_unavailable` if all circuits are open. */
  #candidates(key: string): readonly Replica[] {
    const closed = this.#replicas.filter(({ circuit }) => circuit.state === 'closed');
    if (closed.length > 0) return orderReplicas(closed, key);
    const waitMs = Math.min(...this.#replicas.map(({ circuit }) => circuit.waitMs));
    throw unavailable(this.#upstream, 'its last requests failed', waitMs / 1000);
  }
}
