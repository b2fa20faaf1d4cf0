import { HearthError } from '../contract/errors.ts';
import type { ModelSelection } from '../models/model.ts';
import type { Logger } from '../observability/logger.ts';
import type { Admission, Capacity } from './policy/admit.ts';
import { admit, maxAvailable } from './policy/admit.ts';
import { isLeftBehind, isSuperseded, type LoadDemand } from './policy/eviction.ts';
import { isIdle } from './policy/instance-view.ts';
import { nextInstanceId } from './policy/next-instance-id.ts';
import { Instance } from './instance.ts';
import type { LoadEstimate, LoadOptions } from './lease.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { LoadTask } from './load-task.ts';
import type { Loader } from './loader.ts';
import type { MemoryGauge } from './memory-gauge.ts';
import { planLoad, type LoadPlan } from './plan-load.ts';
import { lineFull, neverFits, waitedTooLong, type RefusalReason } from './refusal.ts';
import { InstanceRegistry } from './instance-registry.ts';

export interface LoadSchedulerOptions {
  readonly loader: Loader;
  readonly logger: Logger;
  readonly gauge: MemoryGauge;
  readonly defaults: { readonly contextLength: number; readonly parallel: number };
  /** Requests that may wait for one instance. */
  readonly queueCapacity: number;
  /** Most that instances may need together; undefined: what the machine has. */
  readonly memoryLimitBytes: number | undefined;
  /** Most instances at once; undefined: any number. */
  readonly maxLoaded: number | undefined;
  /** Whether a model that a request loads takes the place of the one before. */
  readonly keepsOnlyLast: boolean;
  /** Keys of models, with `@variant` or without, that stay once they are loaded. */
  readonly pinned: readonly string[];
  /** Loads that may wait for memory. */
  readonly loadQueueCapacity: number;
  /** Longest time that a load waits for memory, and that most requests wait for a load. */
  readonly loadWaitSeconds: number;
}

/** Loads models where and when there is memory for them, and unloads what gives way. */
export class LoadScheduler {
  readonly registry: InstanceRegistry;
  readonly #options: LoadSchedulerOptions;
  readonly #line: AdmissionQueue;
  /** Of those in line. */
  readonly #demands = new WeakMap<Instance, LoadDemand>();
  #isClosed = false;

  constructor(options: LoadSchedulerOptions) {
    this.#options = options;
    this.#line = new AdmissionQueue({
      capacity: options.loadQueueCapacity,
      waitMs: options.loadWaitSeconds * 1000,
      decide: (instance) => this.#decide(instance),
      onAdmit: (instance) => this.#begin(instance),
      onEvict: (ids) => this.#evict(ids),
      refuse: (instance, reason) => this.refusalOf(instance, reason),
    });
    this.registry = new InstanceRegistry(options.logger, () => this.#line.advance());
  }

  /**
   * How a model would be loaded, and whether it could be.
   *
   * @throws HearthError `invalid_value`.
   */
  estimate(selection: ModelSelection, options: LoadOptions): LoadEstimate {
    const { config, estimate, demand, admission } = this.#plan(
      selection,
      { ...options, isForced: false },
      true,
    );
    const { usableBytes } = maxAvailable(this.registry.views(), demand, this.#capacity());
    return { selection, config, estimate, usableBytes, fits: admission.kind !== 'refuse' };
  }

  /**
   * Puts a new instance on the list, with its load begun or in line.
   *
   * @throws HearthError `invalid_value`, `out_of_memory`, `queue_full`, `shutting_down`; nothing was started
   *   then.
   */
  start(selection: ModelSelection, options: LoadOptions, isExplicit: boolean): Instance {
    if (this.#isClosed) throw new HearthError('shutting_down', 'The server is stopping.');
    const { pinned, queueCapacity } = this.#options;
    const { model, variant } = selection;
    const { isForced = false, caller = '' } = options;
    const { config, estimate, demand, admission } = this.#plan(selection, options, isExplicit);
    if (admission.kind === 'refuse') throw this.#refusal(demand, config, admission.lacks);
    const mustWait = !isForced && (admission.kind === 'wait' || this.#line.length > 0);
    if (mustWait && !this.#line.makeRoomFor(caller)) throw this.#refusal(demand, config, 'line');

    this.#discardLeftBehind(demand);
    const name = `${model.key}@${variant.id}`;
    const isDefaultVariant = variant.id === model.variants[0]?.id;
    const instance: Instance = new Instance({
      id: nextInstanceId(
        isDefaultVariant ? model.key : name,
        new Set(this.registry.list().map(({ id }) => id)),
      ),
      selection,
      config,
      queueCapacity,
      estimatedBytes: estimate.totalBytes,
      mappedBytes: estimate.weightsBytes,
      ttlSeconds: options.ttlSeconds,
      isExplicit,
      isPinned: pinned.includes(model.key) || pinned.includes(name),
      onIdle: () => this.#onIdle(instance),
      onExpired: () => this.#expire(instance),
    });
    this.#demands.set(instance, demand);
    this.registry.add(instance);
    instance.load = new LoadTask((signal, onProgress) =>
      this.#run(instance, isForced ? undefined : caller, signal, onProgress),
    );
    return instance;
  }

  /** Why a load in line does not get its turn. */
  refusalOf(instance: Instance, reason: RefusalReason): HearthError {
    return this.#refusal(this.#demandOf(instance), instance.config, reason);
  }

  /** Unloads everything and loads nothing any more. */
  async close(error: HearthError): Promise<void> {
    this.#isClosed = true;
    await this.registry.close(error);
  }

  #plan(selection: ModelSelection, options: LoadOptions, isExplicit: boolean): LoadPlan {
    const { ttlSeconds: _ttl, caller: _caller, isForced = false, ...asked } = options;
    const { gauge, defaults } = this.#options;
    return planLoad(
      { selection, asked, isExplicit, isForced },
      { instances: this.registry.views(), capacity: this.#capacity(), gauge, defaults },
    );
  }

  #capacity(): Capacity {
    const { gauge, memoryLimitBytes: limitBytes, maxLoaded, keepsOnlyLast } = this.#options;
    return { limitBytes, availableBytes: gauge.availableBytes(), maxLoaded, keepsOnlyLast };
  }

  #demandOf(instance: Instance): LoadDemand {
    const demand = this.#demands.get(instance);
    if (demand === undefined) throw new Error(`${instance.id} was not started here`);
    return demand;
  }

  #refusal(
    demand: LoadDemand,
    { contextLength }: Instance['config'],
    reason: RefusalReason,
  ): HearthError {
    const { loadQueueCapacity, loadWaitSeconds } = this.#options;
    if (reason === 'line') return lineFull(demand.modelKey, loadQueueCapacity);
    const refused = {
      instances: this.registry.views(),
      demand,
      capacity: this.#capacity(),
      contextLength,
    };
    return reason === 'time' ? waitedTooLong(refused, loadWaitSeconds) : neverFits(refused, reason);
  }

  #decide(instance: Instance): Admission {
    return admit(this.registry.views(), this.#demandOf(instance), this.#capacity());
  }

  #discardLeftBehind(demand: LoadDemand): void {
    for (const other of this.registry.list()) {
      if (isLeftBehind(other.view(), demand)) {
        this.#discard(other, `${other.id} gave way to another context.`);
      }
    }
  }

  /** Counts the memory of an instance from now on, and sends away those whose place it takes. */
  #begin(instance: Instance): void {
    instance.state = 'loading';
    const demand = this.#demandOf(instance);
    if (!this.#options.keepsOnlyLast) return;
    for (const other of this.registry.list()) {
      const view = other.view();
      if (!isSuperseded(view, demand)) continue;
      if (isIdle(view)) this.#discard(other, `${other.id} gave way to ${instance.id}.`);
      else other.isSuperseded = true;
    }
  }

  #evict(ids: readonly string[]): void {
    for (const id of ids) {
      const instance = this.registry.get(id);
      if (instance !== undefined) this.#discard(instance, `${id} gave way to another model.`);
    }
  }

  /** @param caller For whom it stands in line; undefined: it is forced, and begins at once. */
  async #run(
    instance: Instance,
    caller: string | undefined,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<void> {
    const { logger, loader } = this.#options;
    const { id } = instance;
    try {
      if (caller === undefined) this.#begin(instance);
      else await this.#line.enter(instance, caller, signal);
      const startedAt = performance.now();
      const engineProcess = await loader.load(instance, signal, onProgress);
      if (signal.aborted) {
        await engineProcess.stop();
        throw signal.reason;
      }
      const loadTimeSeconds = (performance.now() - startedAt) / 1000;
      instance.open(engineProcess, loadTimeSeconds);
      void this.#watch(instance);
      logger.info({ instance: id, loadTimeSeconds, pid: engineProcess.pid }, 'model loaded');
    } catch (error) {
      logger.warn({ instance: id, err: error }, 'model not loaded');
      const failure =
        error instanceof HearthError
          ? error
          : new HearthError('internal', `Loading ${id} failed; the log of the server says more.`, {
              cause: error,
            });
      this.registry.remove(instance, failure);
      throw failure;
    } finally {
      instance.load = undefined;
      this.#onIdle(instance);
    }
  }

  /** A process that goes by itself has crashed: its requests end, the next one loads it again. */
  async #watch(instance: Instance): Promise<void> {
    const exit = await instance.process?.exited;
    if (instance.isRetired || exit === undefined) return;
    this.#options.logger.error({ instance: instance.id, ...exit }, 'engine crashed');
    this.registry.remove(
      instance,
      new HearthError('crashed', `The engine of ${instance.id} stopped: ${exit.reason}`),
    );
    this.#line.advance();
  }

  /** Loads in line may have waited for this instance. */
  #onIdle(instance: Instance): void {
    if (instance.isSuperseded && !instance.isRetired && isIdle(instance.view())) {
      this.#discard(instance, `${instance.id} gave way to another model.`);
    }
    this.#line.advance();
  }

  #expire(instance: Instance): void {
    if (!isIdle(instance.view())) return;
    this.#discard(instance, `${instance.id} was idle for ${instance.ttlSeconds} s.`);
  }

  #discard(instance: Instance, message: string): void {
    this.#options.logger.info({ instance: instance.id, reason: message }, 'idle model unloaded');
    this.registry.discard(instance, new HearthError('unloaded', message));
  }
}
