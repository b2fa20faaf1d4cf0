import { createHash } from 'node:crypto';
import { HttpFailure } from '../../../platform/net/http-failure.ts';
import { Circuit, type CircuitState, type EngineTest } from './circuit.ts';
import {
  hasOtherKey,
  isBusy,
  isClosedBefore,
  isEngineLost,
  isReplicaFault,
  toUpstreamError,
  unavailable,
} from './upstream-failure.ts';

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
  /** True if an address may have several engines behind it. */
  readonly isBalanced?: boolean;
  /** True if it is a linked machine. */
  readonly isLinked?: boolean;
  /** Asks a replica for its health. Never rejects. */
  readonly isHealthy: (url: string) => Promise<boolean>;
  /** Ends the health checks. */
  readonly signal: AbortSignal;
}

/** Decides when another replica takes over from a silent one. */
export interface SilenceLimit {
  /** Longest time for which the replica may send nothing, on any of its requests. */
  readonly maxMs: () => number;
  /** Resolves to true if the silent replica's engine works. Never rejects. */
  readonly testEngine: (url: string) => Promise<boolean>;
}

/** The replicas of one upstream. */
export class ReplicaSet {
  readonly #upstream: string;
  readonly #isBalanced: boolean;
  readonly #isLinked: boolean;
  readonly #replicas: readonly Replica[];

  constructor(options: ReplicaSetOptions) {
    const { upstream, urls, isBalanced = false, isLinked = false, isHealthy, signal } = options;
    this.#upstream = upstream;
    this.#isBalanced = isBalanced;
    this.#isLinked = isLinked;
    this.#replicas = urls.map((url) => ({
      url,
      circuit: new Circuit({ isHealthy: () => isHealthy(url), signal }),
      active: 0,
      heardAtMs: -Infinity,
      keyFailure: undefined,
      isUnreachable: false,
    }));
  }

  /** True if the last request to any replica failed. */
  get hasFailed(): boolean {
    return this.#replicas.some(({ circuit }) => circuit.hasFailed);
  }

  describe(): readonly ReplicaStatus[] {
    return this.#replicas.map(({ url, circuit, active }) => ({
      url,
      state: circuit.state,
      active,
    }));
  }

  /**
   * Yields the attempts at one request: on the preferred replica, then on each of the others, and on the last one
   * twice. After a failure, call `fail`, which throws if the request may not be tried again. Stop iterating after a
   * success.
   *
   * @param key Requests with the same key prefer the same replica.
   * @param silenceLimit Applies if another replica can repeat the attempt; absent: no limit.
   * @throws HearthError `upstream_unavailable` if no replica may be asked now.
   */
  *attempts(
    key: string,
    signal: AbortSignal,
    silenceLimit?: SilenceLimit,
  ): Generator<Attempt, void, void> {
    const shared = {
      upstream: this.#upstream,
      isBalanced: this.#isBalanced,
      isLinked: this.#isLinked,
      signal,
      silenceLimit,
    };
    const candidates = this.#candidates(key);
    const last = candidates.at(-1);
    for (const [index, replica] of candidates.entries()) {
      const others = candidates.slice(index + 1);
      yield new Attempt(replica, {
        ...shared,
        next: replica === last ? 'same' : 'other',
        hasOther: () => others.some(({ isUnreachable }) => !isUnreachable),
      });
    }
    if (last !== undefined) {
      yield new Attempt(last, { ...shared, next: 'none', hasOther: () => false });
    }
  }

  /**
   * Runs a request whose answer is not a stream.
   *
   * @throws HearthError `upstream_error`, `upstream_unavailable`, and the errors of a refused request; the signal's
   *   reason.
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
    const impostor = this.#replicas.find(({ keyFailure }) => keyFailure !== undefined);
    if (impostor !== undefined) throw toUpstreamError(impostor.keyFailure, this.#upstream);
    const waitMs = Math.min(...this.#replicas.map(({ circuit }) => circuit.waitMs));
    throw unavailable(this.#upstream, 'its last requests failed', waitMs / 1000);
  }
}

interface Replica {
  readonly url: string;
  readonly circuit: Circuit;
  /** Requests in flight. */
  active: number;
  /** Time when the replica last sent a piece of an answer, as a value of `performance.now()`. */
  heardAtMs: number;
  /** The error of the replica's last request if it was a key mismatch. */
  keyFailure: unknown;
  /** True if no connection could be made for the last request. */
  isUnreachable: boolean;
}

interface AttemptOptions {
  /** For messages. */
  readonly upstream: string;
  readonly signal: AbortSignal;
  readonly silenceLimit: SilenceLimit | undefined;
  /** True if the address may have several engines behind it. */
  readonly isBalanced: boolean;
  readonly isLinked: boolean;
  /** Where the request goes if an attempt fails: to another replica, in some cases to the same one, or nowhere. */
  readonly next: 'other' | 'same' | 'none';
  /** True if one of the next replicas was reachable by its last request. */
  readonly hasOther: () => boolean;
}

/** Time after which a silent replica is compared with the others again. */
const recheckMs = 1000;

/** One attempt at a request on a replica. Counts as in flight until `end`. */
export class Attempt {
  readonly url: string;
  /** Aborts with the signal of the request, and when the replica has been silent for too long. */
  readonly signal: AbortSignal;
  readonly #replica: Replica;
  readonly #options: AttemptOptions;
  #watch: NodeJS.Timeout | undefined;

  constructor(replica: Replica, options: AttemptOptions) {
    this.url = replica.url;
    this.#replica = replica;
    this.#options = options;
    replica.active += 1;
    const { silenceLimit, next, signal } = options;
    const isUnlimited = silenceLimit === undefined || next !== 'other';
    this.signal = isUnlimited ? signal : AbortSignal.any([signal, this.#watchFor(silenceLimit)]);
  }

  /** Notes that a piece of the answer has arrived. */
  heard(): void {
    this.#replica.heardAtMs = performance.now();
    clearTimeout(this.#watch);
  }

  succeed(): void {
    this.#replica.keyFailure = undefined;
    this.#replica.isUnreachable = false;
    this.#replica.circuit.succeed();
  }

  /**
   * Returns normally if the request may be tried again, else throws.
   *
   * @param hasOutput True if the client has received a part of the answer; the request is then not repeated.
   * @throws HearthError the error of the request, if it can't be repeated; the signal's reason.
   */
  fail(error: unknown, hasOutput = false): void {
    const { upstream, signal, next, isBalanced, isLinked } = this.#options;
    signal.throwIfAborted();
    // llama-server closes connections after streams, so a closed connection does not count as a failure.
    if (next === 'same' && isClosedBefore(error)) return;
    const { circuit } = this.#replica;
    this.#replica.keyFailure = hasOtherKey(error) ? error : undefined;
    this.#replica.isUnreachable = error instanceof HttpFailure && error.reason === 'unreachable';
    const isFault = isReplicaFault(error);
    // A replica that is busy or rejects a request works.
    if (error instanceof Silence) circuit.hang(error.testEngine);
    else if (isFault && !isBusy(error)) circuit.fail();
    else circuit.succeed();
    // If an engine has died, the load balancer sends the repeated request to another one.
    const mayRepeat = next === 'other' || (next === 'same' && isBalanced && isEngineLost(error));
    if (!mayRepeat || hasOutput || !isFault) throw toUpstreamError(error, upstream, isLinked);
  }

  /** Must be called after each attempt, even an unfinished one. */
  end(): void {
    this.#replica.active -= 1;
    clearTimeout(this.#watch);
  }

  /** Returns a signal that aborts when the replica has been silent for too long. */
  #watchFor({ maxMs, testEngine }: SilenceLimit): AbortSignal {
    const silence = new AbortController();
    const limitMs = maxMs();
    const startedAtMs = performance.now();
    const check = () => {
      const silentMs = performance.now() - Math.max(startedAtMs, this.#replica.heardAtMs);
      if (silentMs < limitMs) this.#watch = setTimeout(check, limitMs - silentMs);
      else if (this.#options.hasOther()) silence.abort(new Silence(() => testEngine(this.url)));
      else this.#watch = setTimeout(check, recheckMs);
    };
    this.#watch = setTimeout(check, limitMs);
    return silence.signal;
  }
}

/** A replica sent nothing within its time limit. */
class Silence extends HttpFailure {
  readonly testEngine: EngineTest;

  constructor(testEngine: EngineTest) {
    super('timeout', 'it sent nothing');
    this.testEngine = testEngine;
  }
}

interface ReplicaLoad {
  readonly url: string;
  /** Requests in flight. */
  readonly active: number;
}

/** A replica that has more than this multiple of its fair share of the requests in flight is asked last. */
const maxShare = 1.25;

/**
 * Orders replicas by preference, with rendezvous hashing of the key: a conversation returns to the replica that has
 * read it, and the loss of a replica moves only the keys of that replica. Replicas with much more than their share of
 * the requests in flight come last.
 */
export function orderReplicas<Loaded extends ReplicaLoad>(
  replicas: readonly Loaded[],
  key: string,
): readonly Loaded[] {
  const active = replicas.reduce((sum, replica) => sum + replica.active, 0);
  const limit = Math.ceil((maxShare * (active + 1)) / replicas.length);
  const weighted = replicas.map((replica) => ({ replica, weight: weightOf(replica.url, key) }));
  return weighted
    .toSorted(
      (one, other) =>
        Number(one.replica.active >= limit) - Number(other.replica.active >= limit) ||
        (one.weight < other.weight ? 1 : -1),
    )
    .map(({ replica }) => replica);
}

function weightOf(url: string, key: string): string {
  return createHash('sha1').update(`${url}\n${key}`).digest('hex');
}
