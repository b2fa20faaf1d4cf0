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
  /** Ends the questions. */
  readonly signal: AbortSignal;
}

/** When another replica takes over from a silent one. */
export interface SilenceLimit {
  /** Longest time in which the replica sends nothing, neither of this answer nor of another one. */
  readonly maxMs: () => number;
  /** True if the engine of a replica works, though it was silent. Never rejects. */
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
   * Attempts at one request: on the preferred replica, then on the next ones, one after the other, and twice on the
   * last one. `fail` of each says whether there is another; a request that succeeded reads no further.
   *
   * @param key Requests with the same key prefer the same replica.
   * @param silenceLimit Of attempts that another replica can repeat; absent: without end.
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
    for (const replica of candidates) {
      yield new Attempt(replica, { ...shared, next: replica === last ? 'same' : 'other' });
    }
    if (last !== undefined) yield new Attempt(last, { ...shared, next: 'none' });
  }

  /**
   * Runs a request that has one answer.
   *
   * @throws HearthError `upstream_error`, `upstream_unavailable`, and the errors of a refused request; the signal's reason.
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
  /** When it sent the last piece of an answer. */
  heardAtMs: number;
  /** The error of its last request, if it had another key than it should have. */
  keyFailure: unknown;
}

interface AttemptOptions {
  /** For messages. */
  readonly upstream: string;
  readonly signal: AbortSignal;
  readonly silenceLimit: SilenceLimit | undefined;
  /** True if the address may have several engines behind it. */
  readonly isBalanced: boolean;
  readonly isLinked: boolean;
  /** Who gets the request next if this fails: another replica, the same one in some cases, or none. */
  readonly next: 'other' | 'same' | 'none';
}

/** One try of a request on a replica, which counts as running until `end`. */
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

  /** A piece of the answer has come. */
  heard(): void {
    this.#replica.heardAtMs = performance.now();
    clearTimeout(this.#watch);
  }

  succeed(): void {
    this.#replica.keyFailure = undefined;
    this.#replica.circuit.succeed();
  }

  /**
   * Returns if the request may be tried again.
   *
   * @param hasOutput Whether the client has seen a part of the answer, after which nothing is repeated.
   * @throws HearthError the error of the request, if it is not to be repeated; the signal's reason.
   */
  fail(error: unknown, hasOutput = false): void {
    const { upstream, signal, next, isBalanced, isLinked } = this.#options;
    signal.throwIfAborted();
    // llama-server closes connections after streams; this says nothing bad about it.
    if (next === 'same' && isClosedBefore(error)) return;
    const { circuit } = this.#replica;
    this.#replica.keyFailure = hasOtherKey(error) ? error : undefined;
    const isFault = isReplicaFault(error);
    // A replica that refuses a request, or is busy, works.
    if (error instanceof Silence) circuit.hang(error.testEngine);
    else if (isFault && !isBusy(error)) circuit.fail();
    else circuit.succeed();
    // The balancer gives it to another engine if one has died.
    const mayRepeat = next === 'other' || (next === 'same' && isBalanced && isEngineLost(error));
    if (!mayRepeat || hasOutput || !isFault) throw toUpstreamError(error, upstream, isLinked);
  }

  /** Call it after each attempt, also an unfinished one. */
  end(): void {
    this.#replica.active -= 1;
    clearTimeout(this.#watch);
  }

  /** A signal that aborts when the replica has been silent for too long. */
  #watchFor({ maxMs, testEngine }: SilenceLimit): AbortSignal {
    const silence = new AbortController();
    const limitMs = maxMs();
    const startedAtMs = performance.now();
    const check = () => {
      const silentMs = performance.now() - Math.max(startedAtMs, this.#replica.heardAtMs);
      if (silentMs >= limitMs) silence.abort(new Silence(() => testEngine(this.url)));
      else this.#watch = setTimeout(check, limitMs - silentMs);
    };
    this.#watch = setTimeout(check, limitMs);
    return silence.signal;
  }
}

/** A replica sent nothing while it had time to. */
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

/** A replica takes at most this many times its share of the requests in flight before others help. */
const maxShare = 1.25;

/**
 * Orders replicas by preference: the one that rendezvous hashing assigns to the key first, so that a conversation
 * returns to the replica that has read it, and a replica that leaves moves only its own keys. Replicas that have much
 * more than their share of the requests in flight come last.
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
