import type { HearthError } from '../contract/errors.ts';
import type { EngineProcess } from '../engine/launch/launch.ts';
import type { ModelSelection } from '../models/model.ts';
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
  /** Called when the idle time is over. */
  readonly onIdle: () => void;
}

/** One loaded, or loading, copy of a model. It counts who uses it and knows when it has been idle. */
export class Instance {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly estimatedBytes: number;
  readonly ttlSeconds: number | undefined;
  readonly slots: SlotQueue;
  readonly #onIdle: () => void;
  /** Aborted, with the error for its requests, when the instance goes. */
  readonly #gone = new AbortController();
  state: 'loading' | 'ready' | 'unloading' = 'loading';
  process: EngineProcess | undefined;
  loadedAt: Date | undefined;
  loadTimeSeconds = 0;
  #idleSince = Date.now();
  #userCount = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.selection = options.selection;
    this.config = options.config;
    this.estimatedBytes = options.estimatedBytes;
    this.ttlSeconds = options.ttlSeconds;
    this.slots = new SlotQueue(options.config.parallel, options.queueCapacity);
    this.#onIdle = options.onIdle;
  }

  /** Aborts when the instance goes; the reason is the error for its requests. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Requests that run, wait for a slot, or wait for the load. */
  get userCount(): number {
    return this.#userCount;
  }

  /** Seconds since the last request ended; undefined while one is there. */
  get idleSeconds(): number | undefined {
    return this.#userCount > 0 ? undefined : (Date.now() - this.#idleSince) / 1000;
  }

  enter(): void {
    this.#userCount += 1;
    clearTimeout(this.#idleTimer);
  }

  leave(): void {
    this.#userCount -= 1;
    if (this.#userCount === 0) this.startIdleTimer();
  }

  startIdleTimer(): void {
    this.#idleSince = Date.now();
    clearTimeout(this.#idleTimer);
    if (this.ttlSeconds === undefined || this.state !== 'ready' || this.#userCount > 0) return;
    // A timer longer than 2^31 ms would fire at once.
    const ttlMs = Math.min(this.ttlSeconds * 1000, 2 ** 31 - 1);
    this.#idleTimer = setTimeout(this.#onIdle, ttlMs);
    this.#idleTimer.unref();
  }

  /** Ends the requests on it with an error and lets no new one in. */
  retire(error: HearthError): void {
    this.state = 'unloading';
    clearTimeout(this.#idleTimer);
    this.#gone.abort(error);
    this.slots.close(error);
  }
}
