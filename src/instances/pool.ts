import { omitUndefined } from '../omit-undefined.ts';
import { HearthError } from '../contract/errors.ts';
import type { ModelLibrary, ModelSelection } from '../models/model.ts';
import { assertContext, contextLengthFor } from './configure.ts';
import { chooseInstance } from './policy/choose-instance.ts';
import type { Instance, Visit } from './instance.ts';
import type { AcquireEvent, AcquireOptions, Lease, LoadEstimate, LoadOptions } from './lease.ts';
import { LoadScheduler, type LoadSchedulerOptions } from './load-scheduler.ts';
import type { LoadTask } from './load-task.ts';
import { openLease } from './open-lease.ts';
import { assertPurpose, purposeOf, type Purpose } from './purpose.ts';
import { notLoaded, stillLoading } from './refusal.ts';

interface PoolOptions extends LoadSchedulerOptions {
  readonly library: ModelLibrary;
  readonly loadsOnRequest: boolean;
  readonly defaultTtlSeconds: number;
}

/** The loaded instances: who may use which, and what is loaded for whom. */
export class InstancePool {
  readonly #options: PoolOptions;
  readonly #scheduler: LoadScheduler;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#scheduler = new LoadScheduler(options);
  }

  list(): readonly Instance[] {
    return this.#scheduler.registry.list();
  }

  /** What is spoken for. */
  memory(): { readonly reservedBytes: number; readonly limitBytes: number | undefined } {
    const reservedBytes = this.#scheduler.registry
      .views()
      .reduce((sum, view) => sum + (view.state === 'waiting' ? 0 : view.estimatedBytes), 0);
    return { reservedBytes, limitBytes: this.#options.memoryLimitBytes };
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
        : (this.#scheduler.registry.get(identifier)?.selection ??
          (await this.#options.library.find(identifier)));
    assertPurpose(selection, purpose);
    return selection;
  }

  /**
   * Gets a slot of an instance of the model: joins one that is loaded or loading, else loads one.
   *
   * @throws HearthError as `resolve` and `load`; `queue_full`; `model_loading` where the load takes longer than
   *   the request waits; `crashed` or `unloaded` where the instance goes while the request waits.
   */
  async acquire(
    options: AcquireOptions,
    signal: AbortSignal,
    onEvent: (event: AcquireEvent) => void = () => {},
  ): Promise<Lease> {
    const { identifier, purpose, ttlSeconds, caller = '', prompt = '' } = options;
    const selection = await this.resolve(identifier, purpose);
    signal.throwIfAborted();
    const instance = this.#instanceFor(selection, options);
    if (ttlSeconds !== undefined) instance.setTtl(ttlSeconds);
    const visit = instance.enter(signal);
    let slot: Promise<void> | undefined;
    try {
      slot = instance.slots.enter(caller, visit.signal);
      // Whoever loses the place in line need not wait for the load either.
      slot.catch((error: unknown) => visit.end(error));
      instance.recentPrompts.add(prompt);
      onEvent({ type: 'instance.chosen', instanceId: instance.id });
      const { load } = instance;
      if (load !== undefined) {
        await this.#joinLoad(instance, load, visit, options.waitsForLoad ?? false, onEvent);
      }
      await slot;
      return openLease(instance, visit);
    } catch (error) {
      visit.end(error);
      slot?.then(
        () => instance.slots.release(),
        () => {},
      );
      visit.leave();
      throw error;
    }
  }

  /**
   * Loads a new instance, whether or not the model has others. It waits as long as that takes.
   *
   * @throws HearthError `model_not_found`, `invalid_value`, `out_of_memory`, `queue_full`, and those of
   *   `Loader.load`.
   */
  async load(identifier: string, options: LoadOptions, signal: AbortSignal): Promise<Instance> {
    const selection = await this.#options.library.find(identifier);
    signal.throwIfAborted();
    const instance = this.#scheduler.start(selection, options, true);
    const visit = instance.enter(signal);
    try {
      if (instance.load !== undefined) {
        await this.#joinLoad(instance, instance.load, visit, true, () => {});
      }
    } finally {
      visit.leave();
    }
    return instance;
  }

  /**
   * How `load` would load a model, and whether it could. Nothing is loaded.
   *
   * @throws HearthError `model_not_found`, `invalid_value`.
   */
  async estimate(identifier: string, options: LoadOptions): Promise<LoadEstimate> {
    return this.#scheduler.estimate(await this.#options.library.find(identifier), options);
  }

  /**
   * Unloads an instance; resolves when its memory is free again. Requests on it end with `unloaded`.
   *
   * @throws HearthError `instance_not_found`.
   */
  async unload(id: string): Promise<void> {
    const { registry } = this.#scheduler;
    const instance = registry.get(id);
    if (instance === undefined) {
      const known = registry.list().map((each) => each.id);
      const list = known.length === 0 ? 'No instance is loaded.' : `Loaded: ${known.join(', ')}.`;
      throw new HearthError(
        'instance_not_found',
        `No loaded instance has the id "${id}". ${list}`,
        {
          param: 'instance_id',
        },
      );
    }
    await registry.retire(
      instance,
      new HearthError('unloaded', `${id} was unloaded while it worked on this request.`),
    );
  }

  /** Unloads everything and takes no request any more. */
  async close(): Promise<void> {
    await this.#scheduler.close(new HearthError('shutting_down', 'The server is stopping.'));
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
    const { loadsOnRequest, defaultTtlSeconds, defaults } = this.#options;
    const { registry } = this.#scheduler;
    assertContext(model, options.contextLength);
    const contextLength =
      options.contextLength === undefined
        ? undefined
        : contextLengthFor(model, options.contextLength);
    const named = registry.get(options.identifier ?? '');
    if (named !== undefined && named.id !== model.key) {
      if (contextLength === undefined || contextLength === named.config.contextLength) return named;
    }
    const chosen = chooseInstance(
      registry.list().map((each) => each.view()),
      {
        modelKey: model.key,
        variantId: variant.id,
        ...omitUndefined({ contextLength, prompt: options.prompt }),
        defaultContextLength: contextLengthFor(model, defaults.contextLength),
      },
    );
    const instance = registry.get(chosen?.id ?? '');
    if (instance !== undefined) return instance;
    if (!loadsOnRequest) throw notLoaded(model.key, contextLength, registry.list());
    const ttlSeconds = options.ttlSeconds ?? defaultTtlSeconds;
    const { caller } = options;
    return this.#scheduler.start(
      selection,
      { ...omitUndefined({ contextLength, caller }), ttlSeconds },
      false,
    );
  }

  /**
   * Waits for a load together with others. The last one to give up cancels it, but for one that waited long
   * enough: it will ask again.
   */
  async #joinLoad(
    instance: Instance,
    load: LoadTask,
    visit: Visit,
    waitsForLoad: boolean,
    onEvent: (event: AcquireEvent) => void,
  ): Promise<void> {
    onEvent({ type: 'load.start' });
    const { loadWaitSeconds } = this.#options;
    let tooLate: HearthError | undefined;
    const giveUp = (): void => {
      tooLate =
        instance.state === 'waiting'
          ? this.#scheduler.refusalOf(instance, 'time')
          : stillLoading(instance.id, load.fraction, loadWaitSeconds);
      visit.end(tooLate);
    };
    const timer = waitsForLoad ? undefined : setTimeout(giveUp, loadWaitSeconds * 1000);
    try {
      await load.join(visit.signal, (fraction) => onEvent({ type: 'load.progress', fraction }));
    } catch (error) {
      const isToGoOn = error === tooLate && instance.state === 'loading';
      // Leaving comes first: of those that leave at the same moment, the last one has to see that it is.
      if (visit.signal.aborted && !isToGoOn) visit.leave();
      if (instance.visitCount === 0 && instance.load !== undefined && !instance.isRetired) {
        const cancelled = new HearthError('unloaded', `Loading ${instance.id} was cancelled.`);
        this.#scheduler.registry.discard(instance, cancelled);
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
    onEvent({ type: 'load.end', loadTimeSeconds: instance.loadTimeSeconds });
  }
}
