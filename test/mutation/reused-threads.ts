import {
  ThreadsPoolWorker,
  type PoolOptions,
  type PoolWorker,
  type WorkerRequest,
} from 'vitest/node';

/** Ends a thread after this many mutants, so that their leftovers do not add up. */
const maxRuns = 50;
/** Ends a thread after a longer run, which may have left work behind. */
const maxRunMs = 1500;

type Listener = (message: unknown) => void;

/** A free Vitest thread that has already imported the module. */
interface Parked {
  readonly thread: ThreadsPoolWorker;
  readonly runs: number;
}

let parked: Parked | undefined;

export async function stopParkedThread(): Promise<void> {
  const thread = parked?.thread;
  parked = undefined;
  await thread?.stop();
}

/**
 * Runs the tests of several mutants in one thread, since starting a thread and importing the module takes most of the
 * time of a mutant. Mutants of code that runs on import (`static`) get a new thread.
 */
export class ReusedThread implements PoolWorker {
  readonly name = 'reused-threads';
  readonly cacheFs = true;
  readonly #options: PoolOptions;
  readonly #isStatic: boolean;
  readonly #listeners = new Map<string, Set<Listener>>();
  #thread: ThreadsPoolWorker | undefined;
  #runs = 0;
  #startedMs = 0;
  #isHealthy = true;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { mode, mutantActivation } = options.project.getProvidedContext() as unknown as {
      mode?: string;
      mutantActivation?: string;
    };
    this.#isStatic = mode !== 'mutant' || mutantActivation === 'static';
  }

  async start(): Promise<void> {
    const free = this.#isStatic ? undefined : parked;
    if (free !== undefined) parked = undefined;
    this.#thread = free?.thread ?? new ThreadsPoolWorker(this.#options);
    this.#runs = free?.runs ?? 0;
    if (free === undefined) await this.#thread.start();
  }

  on(event: string, callback: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(callback));
    this.#thread?.on(event, callback);
  }

  off(event: string, callback: Listener): void {
    this.#listeners.get(event)?.delete(callback);
    this.#thread?.off(event, callback);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'run') {
      this.#runs += 1;
      this.#startedMs = performance.now();
    }
    if (message.type !== 'stop') {
      this.#thread?.send(message);
      return;
    }
    // Only the pool believes that the thread has stopped; it continues.
    this.#isHealthy &&= performance.now() - this.#startedMs < maxRunMs;
    const response = { type: 'stopped', __vitest_worker_response__: true };
    queueMicrotask(() => {
      for (const listener of this.#listeners.get('message') ?? []) listener(response);
    });
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined) return;
    if (this.#isStatic || !this.#isHealthy || this.#runs >= maxRuns || parked !== undefined) {
      await thread.stop();
      return;
    }
    for (const [event, listeners] of this.#listeners) {
      for (const listener of listeners) thread.off(event, listener);
    }
    parked = { thread, runs: this.#runs };
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}
