import { given } from '../contract/given.ts';
import { HearthError } from '../contract/errors.ts';
import type { ModelLibrary, ModelSelection } from '../models/model.ts';
import type { Logger } from '../observability/logger.ts';
import { assertContext, configure, contextLengthFor } from './configure.ts';
import {
  chooseInstance,
  leftBehind,
  nextInstanceId,
  type Demand,
  type InstanceView,
} from './decide.ts';
import { Instance, type InstanceConfig, type Visit } from './instance.ts';
import type { Loader } from './loader.ts';
import type { AcquireEvent, AcquireOptions, Lease, LoadOptions } from './lease.ts';
import { LoadTask } from './load-task.ts';
import {
  assertFits,
  availableMemoryBytes,
  estimateMemoryBytes,
  kvCacheScale,
  usableMemoryBytes,
} from './memory.ts';
import { assertPurpose, purposeOf, type Purpose } from './purpose.ts';

interface PoolOptions {
  readonly library: ModelLibrary;
  readonly loader: Loader;
  readonly logger: Logger;
  readonly loadsOnRequest: boolean;
  readonly defaultTtlSeconds: number;
  readonly defaults: { readonly contextLength: number; readonly parallel: number };
  readonly queueCapacity: number;
  readonly memoryLimitBytes: number | undefined;
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
}

/** The loaded instances: who may use which, what is loaded, when it goes. */
export class InstancePool {
  readonly #options: PoolOptions;
  readonly #instances = new Map<string, Instance>();
  /** Of instances that are off the list already. */
  readonly #stopping = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /**
   * Resolves what a request means by `model`, without loading anything.
   *
   * @throws HearthError `model_not_found`, `wrong_model_type`, `corrupt_file`, `missing_required_parameter`.
   */
  async resolve(identifier: string | undefined, purpose: Purpose): Promise<ModelSelection> {
    const selection =
      identifier === undefined || identifier === ''
        ? this.#theOneLoaded(purpose).selection
        : (this.#instances.get(identifier)?.selection ??
          (await this.#options.library.find(identifier)));
    assertPurpose(selection, purpose);
    return selection;
  }

  /**
   * Gets a slot of an instance of the model: joins one that is loaded or loading, else loads one.
   *
   * @throws HearthError as `resolve` and `load`; `queue_full`; `crashed` or `unloaded` where the instance
   *   goes while the request waits.
   */
  async acquire(
    options: AcquireOptions,
    signal: AbortSignal,
    onEvent: (event: AcquireEvent) => void = () => {},
  ): Promise<Lease> {
    const selection = await this.resolve(options.identifier, options.purpose);
    signal.throwIfAborted();
    const instance = this.#instanceFor(selection, options);
    instance.slots.assertRoom(instance.load === undefined ? 0 : instance.visitCount);
    const visit = instance.enter(signal);
    try {
      onEvent({ type: 'instance.chosen', instanceId: instance.id });
      const { load } = instance;
      if (load !== undefined) await this.#joinLoad(instance, load, visit.signal, onEvent);
      await instance.slots.acquire(visit.signal);
      return this.#lease(instance, visit, load !== undefined);
    } catch (error) {
      visit.leave();
      throw error;
    }
  }

  /**
   * Loads a new instance, whether or not the model has others.
   *
   * @throws HearthError `model_not_found`, `invalid_value`, `out_of_memory`, and those of `Loader.load`.
   */
  async load(identifier: string, options: LoadOptions, signal: AbortSignal): Promise<Instance> {
    const selection = await this.#options.library.find(identifier);
    signal.throwIfAborted();
    const instance = this.#startLoad(selection, options, true);
    const visit = instance.enter(signal);
    try {
      if (instance.load !== undefined) {
        await this.#joinLoad(instance, instance.load, visit.signal, () => {});
      }
    } finally {
      visit.leave();
    }
    return instance;
  }

  /**
   * Unloads an instance; resolves when its memory is free again. Requests on it end with `unloaded`.
   *
   * @throws HearthError `instance_not_found`.
   */
  async unload(id: string): Promise<void> {
    const instance = this.#instances.get(id);
    if (instance === undefined) {
      const known = [...this.#instances.keys()];
      const list = known.length === 0 ? 'No instance is loaded.' : `Loaded: ${known.join(', ')}.`;
      throw new HearthError(
        'instance_not_found',
        `No loaded instance has the id "${id}". ${list}`,
        {
          param: 'instance_id',
        },
      );
    }
    await this.#retire(
      instance,
      new HearthError('unloaded', `${id} was unloaded while it worked on this request.`),
    );
  }

  /** Unloads everything and takes no request any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new HearthError('shutting_down', 'The server is stopping.');
    await Promise.all(this.list().map((instance) => this.#retire(instance, error)));
    await Promise.all(this.#stopping);
  }

  #theOneLoaded(purpose: Purpose): Instance {
    const loaded = this.list().filter(({ selection }) => purposeOf(selection) === purpose);
    const [first] = loaded;
    const keys = new Set(loaded.map(({ selection }) => selection.model.key));
    if (first !== undefined && keys.size === 1) return first;
    const reason =
      first === undefined
        ? 'no model for this is loaded'
        : `several are loaded (${[...keys].join(', ')})`;
    throw new HearthError('missing_required_parameter', `"model" is required: ${reason}.`, {
      param: 'model',
    });
  }

  /** Chooses or starts an instance, with no await in between, so that simultaneous requests agree. */
  #instanceFor(selection: ModelSelection, options: AcquireOptions): Instance {
    const { model, variant } = selection;
    assertContext(model, options.contextLength);
    const contextLength =
      options.contextLength === undefined
        ? undefined
        : contextLengthFor(model, options.contextLength);
    const named = this.#instances.get(options.identifier ?? '');
    if (named !== undefined && named.id !== model.key) {
      if (contextLength === undefined || contextLength === named.config.contextLength) return named;
    }
    const demand: Demand = {
      modelKey: model.key,
      variantId: variant.id,
      ...given({ contextLength }),
      defaultContextLength: contextLengthFor(model, this.#options.defaults.contextLength),
    };
    const chosen = chooseInstance(this.list().map(toView), demand);
    const instance = this.#instances.get(chosen?.id ?? '');
    if (instance !== undefined) return instance;
    if (!this.#options.loadsOnRequest) {
      throw new HearthError(
        'model_not_found',
        `${model.key} is not loaded, and loading on request is off (models.jit). Load it first: hearth load ${model.key}`,
        { param: 'model' },
      );
    }
    for (const { id } of leftBehind(this.list().map(toView), demand)) {
      const left = this.#instances.get(id);
      if (left !== undefined) {
        this.#discard(left, new HearthError('unloaded', `${id} gave way to another context.`));
      }
    }
    return this.#startLoad(
      selection,
      {
        ...given({ contextLength }),
        ttlSeconds: options.ttlSeconds ?? this.#options.defaultTtlSeconds,
      },
      false,
    );
  }

  /** @throws HearthError `invalid_value`, `out_of_memory`, `shutting_down`; nothing was started then. */
  #startLoad(selection: ModelSelection, options: LoadOptions, isExplicit: boolean): Instance {
    if (this.#isClosed) throw new HearthError('shutting_down', 'The server is stopping.');
    const { ttlSeconds, ...asked } = options;
    const { model, variant } = selection;
    const { defaults, memoryLimitBytes, queueCapacity } = this.#options;
    const usableBytes = usableMemoryBytes(this.list(), availableMemoryBytes(), memoryLimitBytes);
    const fits = (candidate: InstanceConfig): boolean =>
      this.#estimateBytes(selection, candidate) <= usableBytes;
    const config = configure(selection, asked, defaults, fits);
    const estimatedBytes = this.#estimateBytes(selection, config);
    assertFits(model.key, estimatedBytes, usableBytes, config.contextLength);

    const isDefaultVariant = variant.id === model.variants[0]?.id;
    const base = isDefaultVariant ? model.key : `${model.key}@${variant.id}`;
    const instance: Instance = new Instance({
      id: nextInstanceId(base, new Set(this.#instances.keys())),
      selection,
      config,
      queueCapacity,
      estimatedBytes,
      ttlSeconds,
      isExplicit,
      onIdle: () => this.#expire(instance),
    });
    this.#instances.set(instance.id, instance);
    instance.load = new LoadTask((signal, onProgress) =>
      this.#runLoad(instance, signal, onProgress),
    );
    return instance;
  }

  #estimateBytes(selection: ModelSelection, config: InstanceConfig): number {
    const { k, v } = this.#options.kvCacheTypes;
    return estimateMemoryBytes(selection, {
      ...config,
      keyScale: kvCacheScale(k),
      valueScale: kvCacheScale(v),
    });
  }

  async #runLoad(
    instance: Instance,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<void> {
    const { logger, loader } = this.#options;
    const { id, selection, config } = instance;
    const startedAt = performance.now();
    try {
      const engineProcess = await loader.load(selection, config, signal, onProgress);
      if (signal.aborted) {
        await engineProcess.stop();
        throw signal.reason;
      }
      instance.process = engineProcess;
      instance.loadTimeSeconds = (performance.now() - startedAt) / 1000;
      instance.loadedAt = new Date();
      instance.state = 'ready';
      void this.#watch(instance);
      const { loadTimeSeconds } = instance;
      logger.info({ instance: id, loadTimeSeconds, pid: engineProcess.pid }, 'model loaded');
    } catch (error) {
      logger.warn({ instance: id, err: error }, 'model not loaded');
      const failure =
        error instanceof HearthError
          ? error
          : new HearthError('internal', `Loading ${id} failed; the log of the server says more.`, {
              cause: error,
            });
      this.#remove(instance, failure);
      throw failure;
    } finally {
      instance.load = undefined;
    }
  }

  /** Waits for a load together with others; the last one to give up cancels it. */
  async #joinLoad(
    instance: Instance,
    load: LoadTask,
    signal: AbortSignal,
    onEvent: (event: AcquireEvent) => void,
  ): Promise<void> {
    onEvent({ type: 'load.start' });
    try {
      await load.join(signal, (fraction) => onEvent({ type: 'load.progress', fraction }));
    } catch (error) {
      if (signal.aborted && instance.visitCount === 1) {
        const cancelled = new HearthError('unloaded', `Loading ${instance.id} was cancelled.`);
        this.#discard(instance, cancelled);
      }
      throw error;
    }
    onEvent({ type: 'load.end', loadTimeSeconds: instance.loadTimeSeconds });
  }

  #lease(instance: Instance, visit: Visit, wasLoading: boolean): Lease {
    const { process } = instance;
    if (process === undefined) throw new Error(`${instance.id} is ready but has no process`);
    let isReleased = false;
    return {
      instanceId: instance.id,
      selection: instance.selection,
      engine: process.engine,
      signal: visit.signal,
      loadTimeSeconds: wasLoading ? instance.loadTimeSeconds : undefined,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        instance.slots.release();
        visit.leave();
      },
    };
  }

  /** A process that goes by itself has crashed: its requests end, the next one loads it again. */
  async #watch(instance: Instance): Promise<void> {
    const exit = await instance.process?.exited;
    if (instance.isRetired || exit === undefined) return;
    this.#options.logger.error({ instance: instance.id, ...exit }, 'engine crashed');
    this.#remove(
      instance,
      new HearthError('crashed', `The engine of ${instance.id} stopped: ${exit.reason}`),
    );
  }

  #expire(instance: Instance): void {
    if (instance.visitCount > 0 || instance.state !== 'ready') return;
    this.#options.logger.info({ instance: instance.id }, 'idle model unloaded');
    this.#discard(instance, new HearthError('unloaded', `${instance.id} was unloaded.`));
  }

  /** Retires an instance that nobody waits to see gone. */
  #discard(instance: Instance, error: HearthError): void {
    this.#retire(instance, error).catch((err: unknown) => {
      this.#options.logger.error({ instance: instance.id, err }, 'engine not stopped');
    });
  }

  /** Takes an instance off the list and stops its process; resolves when its memory is free again. */
  async #retire(instance: Instance, error: HearthError): Promise<void> {
    const { load } = instance;
    this.#remove(instance, error);
    load?.cancel(error);
    const stopping = this.#stop(instance, load);
    this.#stopping.add(stopping);
    try {
      await stopping;
    } finally {
      this.#stopping.delete(stopping);
    }
  }

  async #stop(instance: Instance, load: LoadTask | undefined): Promise<void> {
    await load?.done.catch(() => {});
    await instance.process?.stop();
  }

  /** Takes an instance off the list at once, with the error for those that still use it. */
  #remove(instance: Instance, error: HearthError): void {
    instance.retire(error);
    if (this.#instances.get(instance.id) === instance) this.#instances.delete(instance.id);
  }
}

function toView(instance: Instance): InstanceView {
  const { id, selection, config, state, isExplicit, visitCount } = instance;
  return {
    id,
    modelKey: selection.model.key,
    variantId: selection.variant.id,
    contextLength: config.contextLength,
    state,
    isExplicit,
    requestCount: visitCount,
  };
}
