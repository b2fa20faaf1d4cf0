import { given } from '../contract/given.ts';
import { HearthError } from '../contract/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { ModelLibrary, ModelSelection } from '../models/model.ts';
import type { Logger } from '../observability/logger.ts';
import { abortable } from './abortable.ts';
import { configure } from './configure.ts';
import { chooseInstance, nextInstanceId, type InstanceView } from './decide.ts';
import { Instance, type InstanceConfig } from './instance.ts';
import type { Loader } from './loader.ts';
import { assertFits, availableMemoryBytes, estimateMemoryBytes, kvCacheScale } from './memory.ts';
import { assertPurpose, purposeOf, type Purpose } from './purpose.ts';

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Idle time after which it is unloaded; absent: it stays. */
  readonly ttlSeconds?: number;
}

export interface AcquireOptions {
  /** Model key or instance id; empty or absent: the one loaded model of this purpose. */
  readonly identifier: string | undefined;
  readonly purpose: Purpose;
  readonly contextLength?: number;
  /** Idle time of an instance that is loaded for this request. */
  readonly ttlSeconds?: number;
}

/** Told to a request while it gets its instance: `instance.chosen` first, the others only for a load. */
export type AcquireEvent =
  | { readonly type: 'instance.chosen'; readonly instanceId: string }
  | { readonly type: 'load.start' }
  | { readonly type: 'load.progress'; readonly fraction: number }
  | { readonly type: 'load.end'; readonly loadTimeSeconds: number };

/** A slot of an instance, held until it is released. */
export interface Lease {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  readonly engine: Engine;
  /** Aborts when the caller does, or when the instance goes; the reason is the error to answer with. */
  readonly signal: AbortSignal;
  /** Given where the model was not loaded when the request came. */
  readonly loadTimeSeconds: number | undefined;
  release(): void;
}

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

/** A load under way: all that ask for the instance meanwhile wait for it together. */
interface Load {
  readonly done: Promise<void>;
  readonly controller: AbortController;
  readonly listeners: Set<(fraction: number) => void>;
}

/** The loaded instances: who may use which, what is loaded, when it goes. */
export class InstancePool {
  readonly #options: PoolOptions;
  readonly #instances = new Map<string, Instance>();
  readonly #loads = new Map<Instance, Load>();
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
    instance.slots.assertRoom(instance.state === 'loading' ? instance.userCount : 0);
    instance.enter();
    try {
      onEvent({ type: 'instance.chosen', instanceId: instance.id });
      const isLoading = instance.state === 'loading';
      if (isLoading) await this.#joinLoad(instance, signal, onEvent);
      const combined = AbortSignal.any([signal, instance.gone]);
      await instance.slots.acquire(combined);
      return this.#lease(instance, combined, isLoading);
    } catch (error) {
      instance.leave();
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
    const instance = this.#startLoad(selection, options);
    instance.enter();
    try {
      await this.#joinLoad(instance, signal, () => {});
    } finally {
      instance.leave();
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
      throw new HearthError('instance_not_found', `No loaded instance has the id "${id}". ${list}`);
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
    const { contextLength } = options;
    const named = this.#instances.get(options.identifier ?? '');
    const isNamed =
      named !== undefined &&
      named.id !== model.key &&
      named.state !== 'unloading' &&
      (contextLength === undefined || contextLength === named.config.contextLength);
    const chosen = isNamed
      ? named
      : this.#instances.get(
          chooseInstance(this.list().map(toView), {
            modelKey: model.key,
            variantId: variant.id,
            ...given({ contextLength }),
          })?.id ?? '',
        );
    if (chosen !== undefined) return chosen;
    if (!this.#options.loadsOnRequest) {
      throw new HearthError(
        'model_not_found',
        `${model.key} is not loaded, and loading on request is off (models.jit). Load it first: hearth load ${model.key}`,
        { param: 'model' },
      );
    }
    return this.#startLoad(selection, {
      ...given({ contextLength }),
      ttlSeconds: options.ttlSeconds ?? this.#options.defaultTtlSeconds,
    });
  }

  #startLoad(selection: ModelSelection, options: LoadOptions): Instance {
    if (this.#isClosed) throw new HearthError('shutting_down', 'The server is stopping.');
    const { ttlSeconds, ...asked } = options;
    const { model, variant } = selection;
    const { kvCacheTypes, defaults } = this.#options;
    const config = configure(selection, asked, defaults);
    const isDefaultVariant = variant.id === model.variants[0]?.id;
    const base = isDefaultVariant ? model.key : `${model.key}@${variant.id}`;
    const instance: Instance = new Instance({
      id: nextInstanceId(base, new Set(this.#instances.keys())),
      selection,
      config,
      queueCapacity: this.#options.queueCapacity,
      estimatedBytes: estimateMemoryBytes(selection, {
        ...config,
        keyScale: kvCacheScale(kvCacheTypes.k),
        valueScale: kvCacheScale(kvCacheTypes.v),
      }),
      ttlSeconds,
      onIdle: () => void this.#expire(instance),
    });
    const controller = new AbortController();
    const listeners = new Set<(fraction: number) => void>();
    this.#instances.set(instance.id, instance);
    const done = this.#runLoad(instance, controller.signal, listeners);
    // Every waiter awaits `done` itself; this keeps a failure without waiters from being unhandled.
    done.catch(() => {});
    this.#loads.set(instance, { done, controller, listeners });
    return instance;
  }

  async #runLoad(
    instance: Instance,
    signal: AbortSignal,
    listeners: ReadonlySet<(fraction: number) => void>,
  ): Promise<void> {
    const { logger, loader } = this.#options;
    const startedAt = performance.now();
    try {
      await this.#assertMemory(instance);
      const engineProcess = await loader.load(
        instance.selection,
        instance.config,
        signal,
        (fraction) => {
          for (const listener of listeners) listener(fraction);
        },
      );
      if (instance.gone.aborted) {
        await engineProcess.stop();
        throw instance.gone.reason;
      }
      instance.process = engineProcess;
      instance.loadTimeSeconds = (performance.now() - startedAt) / 1000;
      instance.loadedAt = new Date();
      instance.state = 'ready';
      void this.#watch(instance);
      logger.info(
        {
          instance: instance.id,
          loadTimeSeconds: instance.loadTimeSeconds,
          pid: engineProcess.pid,
        },
        'model loaded',
      );
    } catch (error) {
      this.#instances.delete(instance.id);
      instance.retire(
        error instanceof HearthError
          ? error
          : new HearthError('unloaded', `Loading ${instance.id} was cancelled.`, { cause: error }),
      );
      logger.warn({ instance: instance.id, err: error }, 'model not loaded');
      throw error;
    } finally {
      this.#loads.delete(instance);
    }
  }

  /** Waits for a load together with others; the last one to give up cancels it. */
  async #joinLoad(
    instance: Instance,
    signal: AbortSignal,
    onEvent: (event: AcquireEvent) => void,
  ): Promise<void> {
    const load = this.#loads.get(instance);
    if (load === undefined) return;
    const listener = (fraction: number): void => onEvent({ type: 'load.progress', fraction });
    load.listeners.add(listener);
    onEvent({ type: 'load.start' });
    try {
      await abortable(load.done, signal);
      onEvent({ type: 'load.end', loadTimeSeconds: instance.loadTimeSeconds });
    } finally {
      load.listeners.delete(listener);
      if (signal.aborted && instance.userCount <= 1) load.controller.abort(signal.reason);
    }
    instance.gone.throwIfAborted();
  }

  async #assertMemory(instance: Instance): Promise<void> {
    const { memoryLimitBytes } = this.#options;
    const all = this.list();
    // Only those that came first: two loads that count each other would both fail.
    const earlier = all.slice(0, all.indexOf(instance));
    const reserve = (states: readonly Instance['state'][]): number =>
      earlier
        .filter(({ state }) => states.includes(state))
        .reduce((sum, { estimatedBytes }) => sum + estimatedBytes, 0);
    // What is free does not yet count the instances that are still loading.
    const freeBytes = (await availableMemoryBytes()) - reserve(['loading']);
    const limitBytes =
      memoryLimitBytes === undefined ? Infinity : memoryLimitBytes - reserve(['loading', 'ready']);
    assertFits(
      instance.selection.model.key,
      instance.estimatedBytes,
      Math.min(freeBytes, limitBytes),
      instance.config.contextLength,
    );
  }

  #lease(instance: Instance, signal: AbortSignal, wasLoading: boolean): Lease {
    const { process } = instance;
    if (process === undefined) throw new Error(`${instance.id} is ready but has no process`);
    let isReleased = false;
    return {
      instanceId: instance.id,
      selection: instance.selection,
      engine: process.engine,
      signal,
      loadTimeSeconds: wasLoading ? instance.loadTimeSeconds : undefined,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        instance.slots.release();
        instance.leave();
      },
    };
  }

  /** A process that goes by itself has crashed: its requests end, the next one loads it again. */
  async #watch(instance: Instance): Promise<void> {
    const exit = await instance.process?.exited;
    if (instance.state === 'unloading' || exit === undefined) return;
    this.#options.logger.error({ instance: instance.id, ...exit }, 'engine crashed');
    this.#instances.delete(instance.id);
    instance.retire(
      new HearthError('crashed', `The engine of ${instance.id} stopped: ${exit.reason}`),
    );
  }

  async #expire(instance: Instance): Promise<void> {
    if (instance.userCount > 0 || instance.state !== 'ready') return;
    this.#options.logger.info({ instance: instance.id }, 'idle model unloaded');
    await this.#retire(instance, new HearthError('unloaded', `${instance.id} was unloaded.`));
  }

  async #retire(instance: Instance, error: HearthError): Promise<void> {
    instance.retire(error);
    const load = this.#loads.get(instance);
    load?.controller.abort(error);
    await load?.done.catch(() => {});
    await instance.process?.stop();
    this.#instances.delete(instance.id);
  }
}

function toView(instance: Instance): InstanceView {
  const { id, selection, config, state, userCount } = instance;
  return {
    id,
    modelKey: selection.model.key,
    variantId: selection.variant.id,
    contextLength: config.contextLength,
    state,
    requestCount: userCount,
  };
}
