import { HearthError } from '../kernel/errors/errors.ts';
import { assertInScope, isInScope, type ModelScope } from '../kernel/model-scope.ts';
import type { ModelLibrary, ModelSelection } from '../library/model.ts';
import { memoryBytesPerSecond } from '../platform/machine/memory-speed.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { ModelTarget, OpenRequest } from './loads/open-request.ts';
import type { AdapterChoice } from '../kernel/adapter-names.ts';
import { assertContext, contextLengthFor } from './loads/configure.ts';
import type { Instance } from './loads/instance.ts';
import { Lease } from './loads/instance-lease.ts';
import { InstanceLifecycle, type LifecycleOptions } from './loads/instance-lifecycle.ts';
import type { InstanceDescription, InstanceSummary } from './loads/instance-summary.ts';
import type { LoadEstimate } from './loads/load-estimate.ts';
import type { LoadOptions } from './loads/load-options.ts';
import { instancesOf } from './loads/loaded-instances.ts';
import { noteChoice } from './loads/model-chains.ts';
import type { MachineStanding, Origin } from './loads/place-model.ts';
import { OptionResolver, type OptionResolverOptions } from './loads/option-resolver.ts';
import { chooseInstance, hasAdapters, placedVariantId } from './loads/policy/choose-instance.ts';
import type { Standing } from './loads/policy/choose-machine.ts';
import type { Purpose } from './loads/purpose.ts';
import { TargetResolver } from './loads/target-resolver.ts';
import { notLoaded, stillLoading } from './loads/refusal.ts';
import { Session } from './session.ts';
import { PromptMemory } from './rereads/prompt-memory.ts';
import type { SessionHost } from './session-wait.ts';

interface EnginesOptions extends LifecycleOptions, Omit<OptionResolverOptions, 'modelSettings'> {
  readonly library: ModelLibrary;
  /** True if requests load models (`models.jit`). */
  readonly loadsOnRequest: boolean;
  readonly defaultTtlSeconds: number;
  readonly machineStanding?: MachineStanding;
  /** Main memory of the machine. */
  readonly totalMemoryBytes: number;
}

/** Memory of all instances together. */
interface EngineMemory {
  /** Estimated memory of the loading, ready and stopping instances. */
  readonly reservedBytes: number;
  /** `models.memoryLimitBytes`. */
  readonly limitBytes: number | undefined;
  /** Bytes that a new process can use now. */
  readonly availableBytes: number;
}

/** Sizes in bytes that decide whether a model fits. */
export interface Headroom {
  /** Memory that would be available now after evicting all evictable instances. */
  readonly usableBytes: number;
  /** Main memory of the machine (or `models.memoryLimitBytes` if lower) plus the memory of its GPUs. */
  readonly capacityBytes: number;
}

/** Manages the loaded models: loads models for requests, and opens the sessions in which requests use them. */
export class Engines implements SessionHost {
  readonly promptMemory = new PromptMemory();
  readonly #options: EnginesOptions;
  readonly #lifecycle: InstanceLifecycle;
  readonly #resolver: OptionResolver;
  readonly #targets: TargetResolver;

  constructor(options: EnginesOptions) {
    this.#options = options;
    this.#lifecycle = new InstanceLifecycle(options);
    this.#resolver = new OptionResolver(options);
    this.#targets = new TargetResolver(options, this.#lifecycle, this.#resolver);
  }

  list(): readonly InstanceSummary[] {
    return this.#instances().map((instance) => instance.summary());
  }

  /** Lists the instances with figures from their engines. */
  async describe(): Promise<readonly InstanceDescription[]> {
    return Promise.all(
      this.#instances().map(async (instance) => ({
        ...instance.summary(),
        stats: (await instance.handle?.stats?.()) ?? {},
      })),
    );
  }

  memory(): EngineMemory {
    const { memoryLimitBytes, availableMemory } = this.#options;
    const reservedBytes = this.#lifecycle.registry
      .views()
      .reduce((sum, view) => sum + (view.state === 'waiting' ? 0 : view.estimatedBytes), 0);
    return { reservedBytes, limitBytes: memoryLimitBytes, availableBytes: availableMemory().bytes };
  }

  /** The memory for one more model. */
  headroom(): Headroom {
    const { memoryLimitBytes, totalMemoryBytes, gpuMemory } = this.#options;
    const hostBytes = Math.min(totalMemoryBytes, memoryLimitBytes ?? totalMemoryBytes);
    return {
      usableBytes: this.#lifecycle.usableBytes(),
      capacityBytes: hostBytes + (gpuMemory?.capacityBytes ?? 0),
    };
  }

  /** Bytes of weights that an answer on the CPU reads per second; undefined if the machine has GPUs. */
  async weightBytesPerSecond(): Promise<number | undefined> {
    const gpus = this.#options.gpuMemory?.budgets ?? [];
    return gpus.length > 0 ? undefined : memoryBytesPerSecond();
  }

  /**
   * Finds the model that a request names, and its adapters, without loading them.
   *
   * @param identifier Model key or instance id, perhaps with adapters, such as `model+adapter:0.5`; empty or absent:
   *   the only loaded model with this purpose.
   * @param caller Limits the models to its scope; `open` checks the scope again. A linked machine gets only models of
   *   this machine, so that no request goes in circles.
   * @param choices Adapters that the request chooses; absent: those in the identifier, else the instance's default
   *   adapters.
   * @throws HearthError `model_not_found`, `adapter_not_found`, `wrong_model_type`, `corrupt_file`,
   *   `unsupported_format`, `invalid_value`, `missing_required_parameter`, `forbidden`.
   */
  async resolve(
    identifier: string | undefined,
    purpose: Purpose,
    caller?: Origin,
    choices?: readonly AdapterChoice[],
  ): Promise<ModelTarget> {
    return this.#targets.resolve(identifier ?? '', purpose, caller, choices);
  }

  /**
   * Another model for a request whose model failed before its first output.
   *
   * @throws The error to report if there is none.
   */
  fallBack(target: ModelTarget, error: unknown, context: RequestContext): Promise<ModelTarget> {
    return this.#targets.next(target, error, context);
  }

  /** Rates this machine for one of its own models. */
  standing(selection: ModelSelection): Promise<Standing> {
    return this.#targets.standing(selection);
  }

  /**
   * Opens a session on an instance of the model, which may be loaded, loading or new. If the instance in the target
   * no longer exists, another instance of the model serves the request. The caller must close the session.
   *
   * @throws HearthError `invalid_value`, `unsupported_format`, `out_of_memory`, `queue_full`; `crashed` or `unloaded`
   *   if the instance has just ended; the reason of the context's signal.
   */
  open(request: OpenRequest, context: RequestContext): Session {
    context.signal.throwIfAborted();
    return new Session(this, request, context);
  }

  /**
   * Waits until an instance of the model is loaded.
   *
   * @throws The errors of `open` and `Session.ready`.
   */
  async ensureLoaded(request: OpenRequest, context: RequestContext): Promise<void> {
    const session = this.open({ ...request, waitsForLoad: true }, context);
    try {
      for await (const _ of session.ready());
    } finally {
      session.close();
    }
  }

  lease(request: OpenRequest, context: RequestContext): Lease {
    const { target } = request;
    assertInScope(context.caller.modelScope, target.selection.model.key);
    if (target.chain !== undefined) noteChoice(target.chain, target, context);
    const instance = this.#instanceFor(request, context);
    const ttlSeconds = request.ttlSeconds ?? target.load?.ttlSeconds;
    if (ttlSeconds !== undefined) instance.setTtl(ttlSeconds);
    const lease = new Lease(instance, context, target.maxWaitSeconds);
    context.record.useInstance(instance.id, instance.selection.model.key);
    return lease;
  }

  /**
   * Loads a new instance, even if the model already has one. Waits without a time limit.
   *
   * @throws HearthError `model_not_found`, `forbidden`, `invalid_value`, `conflict` if the identifier is taken,
   *   `out_of_memory`, `queue_full`; the errors of `EngineLoader.load`.
   */
  async load(
    identifier: string,
    options: LoadOptions,
    context: RequestContext,
  ): Promise<InstanceSummary> {
    const { library } = this.#options;
    const { clientKey, modelScope } = context.caller;
    const found = await library.find(identifier, modelScope);
    await this.#lifecycle.know(found);
    if (options.identifier !== undefined) await this.#assertFree(options.identifier);
    const { selection, load } = await this.#resolver.inForce(found);
    const resolved = await this.#resolver.complete(selection, options, load, modelScope);
    context.signal.throwIfAborted();
    const instance = this.#lifecycle.create(selection, resolved, true, clientKey);
    const lease = new Lease(instance, context);
    try {
      if (instance.load !== undefined) await this.joinLoad(lease, true, () => {});
    } finally {
      lease.release();
    }
    return instance.summary();
  }

  /**
   * Plans a load like `load` and reports whether it would be accepted.
   *
   * @throws HearthError `model_not_found`, `forbidden`, `invalid_value`, `unsupported_format`.
   */
  async estimate(
    identifier: string,
    options: LoadOptions,
    scope: ModelScope = null,
  ): Promise<LoadEstimate> {
    const found = await this.#options.library.find(identifier, scope);
    await this.#lifecycle.know(found);
    const { selection, load } = await this.#resolver.inForce(found);
    const resolved = await this.#resolver.complete(selection, options, load, scope);
    return this.#lifecycle.estimate(selection, resolved);
  }

  /**
   * Unloads an instance, whose requests end with `unloaded`. Resolves with the instance's id when the memory is free.
   *
   * @param identifier Id of the instance, or key of a model that has one instance.
   * @throws HearthError `instance_not_found`, also for a model outside the scope.
   */
  async unload(identifier: string, scope: ModelScope = null): Promise<string> {
    const instances = this.#instances().filter(({ selection }) =>
      isInScope(scope, selection.model.key),
    );
    const ofModel = instances.filter(({ selection }) => selection.model.key === identifier);
    const instance =
      instances.find(({ id }) => id === identifier) ??
      (ofModel.length === 1 ? ofModel[0] : undefined);
    if (instance === undefined) {
      const known = instances.map((each) => each.id);
      const list = known.length === 0 ? 'No instance is loaded.' : `Loaded: ${known.join(', ')}.`;
      const message = `No loaded instance has the id "${identifier}". ${list}`;
      throw new HearthError('instance_not_found', message, { field: 'instanceId' });
    }
    const { id } = instance;
    const message = `${id} was unloaded while it worked on this request.`;
    await this.#lifecycle.stop(instance, new HearthError('unloaded', message));
    return id;
  }

  /** True if the model or profile with this name has an instance. */
  async isLoaded(identifier: string): Promise<boolean> {
    const selection = this.#resolver.selectionOf(await this.#options.library.find(identifier));
    return instancesOf(this.#instances(), selection).length > 0;
  }

  /** Unloads all instances and rejects new requests. */
  async close(): Promise<void> {
    await this.#lifecycle.close(new HearthError('shutting_down', 'The server is stopping.'));
  }

  #instances(): readonly Instance[] {
    return this.#lifecycle.registry.list();
  }

  /** Asserts that an id names neither a model nor another instance, whose requests the new instance would get. */
  async #assertFree(id: string): Promise<void> {
    const names = await this.#options.library.find(id).catch((error: unknown) => {
      if (error instanceof HearthError && error.code === 'model_not_found') return undefined;
      throw error;
    });
    if (names === undefined && this.#lifecycle.registry.get(id) === undefined) return;
    const what = names === undefined ? 'instance' : 'model';
    throw new HearthError('conflict', `"${id}" is the name of another ${what}.`, {
      field: 'identifier',
    });
  }

  /** Chooses or creates an instance. Synchronous, so that concurrent requests use the same instance. */
  #instanceFor(request: OpenRequest, context: RequestContext): Instance {
    const { target, promptPrefix } = request;
    const { selection } = target;
    const adapterIds = target.adapters?.map(({ adapter }) => adapter.id);
    const { model } = selection;
    const { loadsOnRequest, defaultTtlSeconds } = this.#options;
    const { registry } = this.#lifecycle;
    let contextLength: number | undefined;
    if (request.contextLength !== undefined) {
      assertContext(model, request.contextLength);
      contextLength = contextLengthFor(model, request.contextLength);
    }
    const named = target.instanceId === undefined ? undefined : registry.get(target.instanceId);
    if (named !== undefined) {
      const isLong = contextLength === undefined || contextLength === named.config.contextLength;
      const suits = adapterIds === undefined || hasAdapters(named, adapterIds);
      if (isLong && suits) return named;
    }
    const chosen = chooseInstance(registry.list(), {
      modelKey: model.key,
      variantId: placedVariantId(selection),
      profile: selection.alias,
      contextLength,
      promptPrefix,
      adapterIds,
    });
    if (chosen !== undefined) return chosen;
    if (!loadsOnRequest) throw notLoaded(model.key, contextLength, this.list());
    return this.#lifecycle.create(
      selection,
      {
        ...target.load,
        ...omitUndefined({ contextLength }),
        ttlSeconds: request.ttlSeconds ?? target.load?.ttlSeconds ?? defaultTtlSeconds,
      },
      false,
      context.caller.clientKey,
    );
  }

  /**
   * Waits for a load together with other requests. The last request to stop waiting cancels the load, unless its wait
   * timed out, since its client will retry.
   */
  async joinLoad(
    lease: Lease,
    waitsForLoad: boolean,
    onProgress: (fraction: number) => void,
  ): Promise<void> {
    const { instance, signal } = lease;
    const { load } = instance;
    if (load === undefined) return;
    const { loadWaitSeconds } = this.#options;
    let timeLimitError: HearthError | undefined;
    const giveUp = (): void => {
      // The load has begun by now, since the scheduler refuses loads that do not begin within this time.
      timeLimitError = stillLoading(instance.id, load.fraction, loadWaitSeconds);
      lease.abort(timeLimitError);
    };
    const phase = lease.context.record.beginPhase({ name: 'load' });
    const timer = waitsForLoad ? undefined : setTimeout(giveUp, loadWaitSeconds * 1000);
    try {
      await load.join(signal, onProgress);
    } catch (error) {
      const continuesLoading = error === timeLimitError;
      // Release before checking: if several requests stop waiting at once, the last one must see that it is the last.
      if (signal.aborted && !continuesLoading) lease.release();
      if (instance.requestCount === 0 && instance.load !== undefined && !instance.isRetired) {
        const canceled = new HearthError('unloaded', `Loading ${instance.id} was cancelled.`);
        this.#lifecycle.discard(instance, canceled);
      }
      phase.end({ hasFailed: true });
      throw error;
    } finally {
      clearTimeout(timer);
    }
    phase.endAfter(instance.loadTimeSeconds);
  }
}
