import type { HearthError } from '../contract/errors.ts';
import type { EngineProcess } from '../engine/launch/launch.ts';
import type { ModelSelection } from '../models/model.ts';
import type { LoadTask } from './load-task.ts';
import { SlotQueue } from './slot-queue.ts';

export interface InstanceConfig {
  readonly contextLength: number;
  readonly parallel: number;
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  readonly expertCount?: number;
}

interface InstanceOptions {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly queueCapacity: number;
  readonly estimatedBytes: number;
  /** Idle time until it is unloaded; absent: it stays. */
  readonly ttlSeconds: number | undefined;
  /** Whether somebody loaded it by name, rather than a request that needed it. */
  readonly isExplicit: boolean;
  /** Called when the idle time is over. */
  readonly onIdle: () => void;
}

/** The stay of one request at an instance, from the moment it was sent there. */
export interface Visit {
  /** Aborts when the caller's signal does, or, with the error to answer with, when the instance goes. */
  readonly signal: AbortSignal;
  /** Ends the stay; a second call does nothing. */
  leave(): void;
}

/** One loaded, or loading, copy of a model. It counts who uses it and knows when it has been idle. */
export class Instance {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly estimatedBytes: number;
  readonly ttlSeconds: number | undefined;
  readonly isExplicit: boolean;
  readonly slots: SlotQueue;
  readonly #onIdle: () => void;
  /** One for each visit: a signal of the instance's own, combined with every caller's, would grow with each. */
  readonly #visits = new Set<AbortController>();
  #goneWith: HearthError | undefined;
  state: 'loading' | 'ready' = 'loading';
  /** While it loads. */
  load: LoadTask | undefined;
  /** Once it is loaded. */
  process: EngineProcess | undefined;
  loadedAt: Date | undefined;
  loadTimeSeconds = 0;
  #idleSince = Date.now();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.selection = options.selection;
    this.config = options.config;
    this.estimatedBytes = options.estimatedBytes;
    this.ttlSeconds = options.ttlSeconds;
    this.isExplicit = options.isExplicit;
    this.slots = new SlotQueue(options.config.parallel, options.queueCapacity);
    this.#onIdle = options.onIdle;
  }

  /** Requests that run, wait for a slot, or wait for the load. */
  get visitCount(): number {
    return this.#visits.size;
  }

  /** Seconds since the last request ended; undefined while one is there. */
  get idleSeconds(): number | undefined {
    return this.#visits.size > 0 ? undefined : (Date.now() - this.#idleSince) / 1000;
  }

  /** Whether it is on its way out. */
  get isRetired(): boolean {
    return this.#goneWith !== undefined;
  }

  /** @throws HearthError what the instance went with, where it has gone. */
  enter(callerSignal: AbortSignal): Visit {
    if (this.#goneWith !== undefined) throw this.#goneWith;
    const visit = new AbortController();
    const abort = (): void => visit.abort(callerSignal.reason);
    callerSignal.addEventListener('abort', abort, { once: true });
    if (callerSignal.aborted) abort();
    this.#visits.add(visit);
    clearTimeout(this.#idleTimer);
    return {
      signal: visit.signal,
      leave: () => {
        callerSignal.removeEventListener('abort', abort);
        if (this.#visits.delete(visit) && this.#visits.size === 0) this.startIdleTimer();
      },
    };
  }

  startIdleTimer(): void {
    this.#idleSince = Date.now();
    clearTimeout(this.#idleTimer);
    if (this.ttlSeconds === undefined || this.state !== 'ready' || this.#visits.size > 0) return;
    // A timer longer than 2^31 ms would fire at once.
    const ttlMs = Math.min(this.ttlSeconds * 1000, 2 ** 31 - 1);
    this.#idleTimer = setTimeout(this.#onIdle, ttlMs);
    this.#idleTimer.unref();
  }

  /** Ends the requests on it with an error and lets no new one in. */
  retire(error: HearthError): void {
    clearTimeout(this.#idleTimer);
    this.#goneWith ??= error;
    this.slots.close(error);
    for (const visit of this.#visits) visit.abort(error);
  }
}
