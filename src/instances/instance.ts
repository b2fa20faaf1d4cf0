import type { HearthError } from '../contract/errors.ts';
import type { EngineProcess } from '../engine/launch/launch.ts';
import type { ModelSelection } from '../models/model.ts';
import type { LoadTask } from './load-task.ts';
import type { InstanceView } from './policy/instance-view.ts';
import { purposeOf } from './purpose.ts';
import { RecentPrompts } from './recent-prompts.ts';
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
  /** Of these, the weights, which are mapped from their file. */
  readonly mappedBytes: number;
  /** Idle time until it is unloaded; absent: it stays. */
  readonly ttlSeconds: number | undefined;
  /** Whether somebody loaded it by name, rather than a request that needed it. */
  readonly isExplicit: boolean;
  /** Whether the operator wants its model kept: it has no idle time then. */
  readonly isPinned: boolean;
  /** Called when the last request has left. */
  readonly onIdle: () => void;
  /** Called when it was idle for its whole idle time. */
  readonly onExpired: () => void;
}

/** The stay of one request at an instance, from the moment it was sent there. */
export interface Visit {
  /** Aborts when the caller's signal does, or, with the error to answer with, when the instance goes. */
  readonly signal: AbortSignal;
  /** Aborts the signal: the request is to be answered with this. */
  end(error: unknown): void;
  /** Ends the stay; a second call does nothing. */
  leave(): void;
}

/** One copy of a model, loaded or on its way. It counts who uses it and knows when it has been idle. */
export class Instance {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly estimatedBytes: number;
  readonly mappedBytes: number;
  readonly isExplicit: boolean;
  readonly isPinned: boolean;
  readonly slots: SlotQueue;
  readonly recentPrompts = new RecentPrompts();
  readonly #onIdle: () => void;
  readonly #onExpired: () => void;
  /** One for each visit: a signal of the instance's own, combined with every caller's, would grow with each. */
  readonly #visits = new Set<AbortController>();
  #goneWith: HearthError | undefined;
  #ttlSeconds: number | undefined;
  /** `waiting`: for memory, in line with other loads. */
  state: 'waiting' | 'loading' | 'ready' = 'waiting';
  /** Whether it goes as soon as it is idle, since another model took its place. */
  isSuperseded = false;
  /** While it waits or loads. */
  load: LoadTask | undefined;
  /** Once it is loaded. */
  process: EngineProcess | undefined;
  loadedAt: Date | undefined;
  loadTimeSeconds = 0;
  #idleSince = Date.now();
  #lastUsedAt = performance.now();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.selection = options.selection;
    this.config = options.config;
    this.estimatedBytes = options.estimatedBytes;
    this.mappedBytes = options.mappedBytes;
    this.isExplicit = options.isExplicit;
    this.isPinned = options.isPinned;
    this.#ttlSeconds = options.isPinned ? undefined : options.ttlSeconds;
    this.slots = new SlotQueue(options.config.parallel, options.queueCapacity);
    this.#onIdle = options.onIdle;
    this.#onExpired = options.onExpired;
  }

  /** Idle time until it is unloaded; undefined: it stays. */
  get ttlSeconds(): number | undefined {
    return this.#ttlSeconds;
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
    this.#lastUsedAt = performance.now();
    clearTimeout(this.#idleTimer);
    return {
      signal: visit.signal,
      end: (error) => visit.abort(error),
      leave: () => {
        callerSignal.removeEventListener('abort', abort);
        if (!this.#visits.delete(visit)) return;
        this.#lastUsedAt = performance.now();
        if (this.#visits.size > 0) return;
        this.startIdleTimer();
        this.#onIdle();
      },
    };
  }

  /** What a request asks for holds from then on, where requests loaded it and it may go at all. */
  setTtl(seconds: number): void {
    if (!this.isExplicit && !this.isPinned) this.#ttlSeconds = seconds;
  }

  /** It is loaded: lets requests in. */
  open(process: EngineProcess, loadTimeSeconds: number): void {
    this.process = process;
    this.loadTimeSeconds = loadTimeSeconds;
    this.loadedAt = new Date();
    this.#lastUsedAt = performance.now();
    this.state = 'ready';
    this.slots.open();
    this.startIdleTimer();
  }

  /** As the decisions see it. */
  view(): InstanceView {
    const { id, selection, config } = this;
    return {
      id,
      modelKey: selection.model.key,
      variantId: selection.variant.id,
      purpose: purposeOf(selection),
      contextLength: config.contextLength,
      parallel: config.parallel,
      state: this.isRetired && this.state !== 'waiting' ? 'stopping' : this.state,
      isExplicit: this.isExplicit,
      isPinned: this.isPinned,
      requestCount: this.#visits.size,
      lastUsedAt: this.#lastUsedAt,
      estimatedBytes: this.estimatedBytes,
      mappedBytes: this.mappedBytes,
      recentPrompts: this.recentPrompts.list(),
    };
  }

  startIdleTimer(): void {
    this.#idleSince = Date.now();
    clearTimeout(this.#idleTimer);
    const { state, ttlSeconds, isRetired } = this;
    if (ttlSeconds === undefined || state !== 'ready' || isRetired || this.#visits.size > 0) return;
    // A timer longer than 2^31 ms would fire at once.
    const ttlMs = Math.min(ttlSeconds * 1000, 2 ** 31 - 1);
    this.#idleTimer = setTimeout(this.#onExpired, ttlMs);
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
