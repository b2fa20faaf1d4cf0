import { HearthError, type PromptSize } from '../../kernel/errors/errors.ts';
import type { EngineHandle } from '../engine.ts';
import type { ModelSelection } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { EvictionCause } from '../../kernel/events/server-event.ts';
import { noEvents, type EventPublisher } from '../../kernel/events/server-events.ts';
import { attach } from './adapters.ts';
import type { EngineLoader } from './engine-loader.ts';
import { EngineLost } from './refusal.ts';
import {
  Instance,
  InstanceRegistry,
  type InstanceOwner,
  type InstanceSettings,
} from './instance.ts';
import type { LoadEstimate } from './load-estimate.ts';
import type { LoadOptions } from './load-options.ts';
import type { ModelSettings } from './model-settings.ts';
import { LoadScheduler, type SchedulerEffects, type SchedulerOptions } from './load-scheduler.ts';
import type { LoadTask } from './load-task.ts';
import type { LoadPlan } from './plan-load.ts';
import { contextForPrompt } from './policy/choose-sizes.ts';
import { instanceName, nextInstanceId } from './policy/next-instance-id.ts';

export interface LifecycleOptions extends SchedulerOptions {
  /** One loader per kind of model source. */
  readonly loaders: readonly EngineLoader[];
  readonly logger: Logger;
  /** Requests that may wait for one instance. */
  readonly queueCapacity: number;
  /** Tells if a model's files were replaced; undefined if it can't. */
  readonly fingerprint: (selection: ModelSelection) => Promise<string | undefined>;
  /** Settings of the models. */
  readonly modelSettings?: Pick<ModelSettings, 'inForce' | 'ofInstance' | 'onChange'>;
  readonly events?: EventPublisher;
}

/** Creates, loads, watches and stops instances, on behalf of the scheduler. */
export class InstanceLifecycle implements SchedulerEffects, InstanceOwner {
  readonly registry = new InstanceRegistry();
  readonly #options: LifecycleOptions;
  readonly #scheduler: LoadScheduler;
  readonly #stopping = new Set<Promise<void>>();
  readonly #events: EventPublisher;
  #isClosed = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#events = options.events ?? noEvents;
    this.#scheduler = new LoadScheduler(options, this.registry, this);
    options.modelSettings?.onChange(() => this.#applySettings());
  }

  /**
   * Plans a load by name and reports whether it would be accepted.
   *
   * @throws HearthError `invalid_value`, `unsupported_format`.
   */
  estimate(selection: ModelSelection, options: LoadOptions): LoadEstimate {
    const plan = this.#plan(selection, { ...options, isForced: false }, true);
    const { config, estimate, placement, admission } = plan;
    const usableBytes = this.#scheduler.usableBytes(plan.demand);
    return {
      selection,
      config,
      estimate,
      placement,
      usableBytes,
      fits: admission.kind !== 'refuse',
    };
  }

  /** Learns what a load of this model depends on: the free memory of the GPUs, what the engines can do. */
  async know({ model }: ModelSelection): Promise<void> {
    const { gpuMemory, loaders } = this.#options;
    const loader = loaders.find(({ format }) => format === model.format);
    if (loader?.place === undefined) return;
    await Promise.all([gpuMemory?.know(() => this.registry.gpuBytes()), loader.know?.()]);
  }

  /** Bytes that a load by name could use, whatever the model. */
  usableBytes(): number {
    return this.#scheduler.usableBytes();
  }

  /**
   * Registers a new instance and begins or queues its load.
   *
   * @throws HearthError `invalid_value`, `unsupported_format`, `out_of_memory`, `queue_full`, `shutting_down`;
   *   nothing is started then.
   */
  create(
    selection: ModelSelection,
    options: LoadOptions,
    isExplicit: boolean,
    clientKey: string,
  ): Instance {
    if (this.#isClosed) throw new HearthError('shutting_down', 'The server is stopping.');
    const plan = this.#plan(selection, options, isExplicit);
    this.#scheduler.prepare(plan, clientKey);
    const { queueCapacity } = this.#options;
    const takenIds = new Set(this.registry.list().map(({ id }) => id));
    const instance = new Instance({
      id: options.identifier ?? nextInstanceId(instanceName(selection), takenIds),
      selection,
      config: plan.config,
      queueCapacity,
      needsMemory: plan.demand.needsMemory,
      placement: plan.placement,
      gpuBytes: plan.demand.gpuBytes ?? new Map(),
      mappedBytes:
        this.#loaderOf(selection).copiesWeights === true
          ? 0
          : Math.min(plan.estimate.weightsBytes, plan.placement.hostBytes),
      ttlSeconds: options.ttlSeconds,
      isExplicit,
      settings: this.#settingsOf(selection),
      owner: this,
    });
    this.registry.add(instance);
    this.#scheduler.submit(instance, plan, clientKey);
    if (instance.state === 'waiting') {
      const { estimatedBytes } = instance;
      this.#events.publish({ type: 'instance.queued', ...subjectOf(instance), estimatedBytes });
    }
    return instance;
  }

  /**
   * Takes an instance out of service because its model was replaced on disk. Its current requests still end normally.
   * If it was loaded by name, loads the model again with the same settings.
   *
   * @param selection The model as it is now; undefined if it can't be read.
   */
  renew(instance: Instance, selection: ModelSelection | undefined): void {
    const { id, config, isExplicit, ttlSeconds } = instance;
    this.#options.logger.info({ instance: id }, 'the files of the model were replaced');
    instance.outdate();
    this.registry.beginStopping(instance);
    this.#stopIfDrained(instance);
    if (!isExplicit || selection === undefined) return;
    const options = { ...config, identifier: id, ...omitUndefined({ ttlSeconds }) };
    try {
      const { alias } = instance.selection;
      const { model, variant } = selection;
      this.create({ model, variant, ...omitUndefined({ alias }) }, options, true, 'renewal');
    } catch (err) {
      this.#options.logger.warn({ instance: id, err }, 'replaced model not loaded again');
    }
  }

  becameIdle(instance: Instance): void {
    this.#stopIfDrained(instance);
    this.#scheduler.becameIdle(instance);
  }

  expire(instance: Instance): void {
    this.evict(instance, 'idle', `${instance.id} was idle for ${instance.ttlSeconds} s.`);
  }

  /** Removes an instance from the registry and stops its engine. Resolves when the memory is free. */
  async stop(instance: Instance, error: HearthError): Promise<void> {
    const stopping = this.#stop(instance, error);
    this.#stopping.add(stopping);
    try {
      await stopping;
    } finally {
      this.#stopping.delete(stopping);
    }
  }

  /** Stops an instance in the background. */
  discard(instance: Instance, error: HearthError): void {
    this.stop(instance, error).catch((err: unknown) => {
      this.#options.logger.error({ instance: instance.id, err }, 'engine not stopped');
    });
  }

  startLoad(instance: Instance): void {
    instance.beginLoading();
    const { load, estimatedBytes } = instance;
    this.#events.publish({ type: 'instance.loading', ...subjectOf(instance), estimatedBytes });
    if (load !== undefined) void this.#load(instance, load);
  }

  refuseLoad(instance: Instance, error: HearthError): void {
    this.#failLoading(instance, error);
  }

  evict(instance: Instance, cause: EvictionCause, reason: string): void {
    this.#events.publish({ type: 'instance.evicted', ...subjectOf(instance), cause, reason });
    this.#options.logger.info({ instance: instance.id, reason }, 'idle model unloaded');
    this.discard(instance, new HearthError('unloaded', reason));
  }

  /** Stops all instances and rejects new ones. Resolves when all engines have ended. */
  async close(reason: HearthError): Promise<void> {
    this.#isClosed = true;
    const { registry } = this;
    const draining = registry.stopping().filter(({ isRetired }) => !isRetired);
    for (const instance of [...registry.list(), ...draining]) this.discard(instance, reason);
    await Promise.allSettled(this.#stopping);
  }

  #settingsOf(selection: ModelSelection): InstanceSettings {
    return this.#options.modelSettings?.ofInstance(selection) ?? { inForce: {}, isPinned: false };
  }

  /** Applies changed settings of models that take effect without a load. */
  #applySettings(): void {
    for (const instance of [...this.registry.list(), ...this.registry.stopping()]) {
      instance.settings = this.#settingsOf(instance.selection);
      instance.startIdleTimer();
    }
  }

  #plan(selection: ModelSelection, options: LoadOptions, isExplicit: boolean): LoadPlan {
    const { ttlSeconds: _ttl, identifier: _id, isForced = false, ...more } = options;
    const { otherAdapters = [], attachedAdapters: named = [], ...config } = more;
    const loader = this.#loaderOf(selection);
    const others = loader.separatesAdapters?.(selection, config) === true ? otherAdapters : [];
    const attachedAdapters = attach(named, others, selection);
    const requested = { ...config, ...(attachedAdapters.length > 0 && { attachedAdapters }) };
    const request = { selection, requested, isExplicit, isForced };
    return this.#scheduler.plan(request, loader);
  }

  /** @throws HearthError `unsupported_format`. */
  #loaderOf({ model }: ModelSelection): EngineLoader {
    const loader = this.#options.loaders.find(({ format }) => format === model.format);
    if (loader !== undefined) return loader;
    throw new HearthError(
      'unsupported_format',
      `No runtime for ${model.format} models runs on this machine.`,
    );
  }

  async #load(instance: Instance, load: LoadTask): Promise<void> {
    const { id, selection, config, placement } = instance;
    const estimatedBytes = placement.hostBytes + placement.gpuBytes;
    const startedAt = performance.now();
    // Read before the engine maps the files, so that the next request notices a replacement.
    const fingerprint = this.#options
      .fingerprint(selection)
      .then((read) => void (instance.fingerprint = read));
    try {
      const handle = await this.#loaderOf(selection).load(
        { instanceId: id, selection, config, placement, estimatedBytes },
        load.signal,
        (fraction) => {
          load.report(fraction);
          this.#events.publish({ type: 'instance.progress', ...subjectOf(instance), fraction });
        },
      );
      const loadTimeSeconds = (performance.now() - startedAt) / 1000;
      const stats = await handle.stats?.().catch(() => undefined);
      await fingerprint;
      if (load.signal.aborted) {
        await handle.stop();
        throw load.signal.reason;
      }
      const cure = (promptSize: PromptSize) => this.#contextCure(instance, promptSize);
      instance.becomeReady(handle, loadTimeSeconds, cure);
      this.#events.publish({ type: 'instance.ready', ...subjectOf(instance), loadTimeSeconds });
      void this.#watch(instance, handle);
      this.#options.logger.info({ instance: id, loadTimeSeconds, ...stats }, 'model loaded');
    } catch (error) {
      this.#failLoading(instance, error);
    } finally {
      this.#refreshGpuMemory();
      this.#stopIfDrained(instance);
      this.#scheduler.becameIdle(instance);
    }
  }

  /** Recommends a load with enough context for a prompt, if the model and the machine allow it. */
  #contextCure({ selection }: Instance, { tokens }: PromptSize): string | undefined {
    const { model, variant } = selection;
    const length = contextForPrompt(tokens, model.maxContextLength, (contextLength) => {
      const { admission } = this.#plan(selection, { contextLength }, true);
      return admission.kind !== 'refuse';
    });
    if (length === undefined) return undefined;
    const name = variant.id === model.variants[0]?.id ? model.key : `${model.key}@${variant.id}`;
    return `Load it with a larger context: hearth load ${name} --context-length ${length}`;
  }

  #stopIfDrained(instance: Instance): void {
    const { id, isOutdated, isRetired, requestCount } = instance;
    if (!isOutdated || isRetired || requestCount > 0) return;
    this.evict(instance, 'replaced', `The files of ${id} were replaced.`);
  }

  #failLoading(instance: Instance, error: unknown): void {
    const { id } = instance;
    this.#options.logger.warn({ instance: id, err: error }, 'model not loaded');
    const text = `Loading ${id} failed; the log of the server has the details.`;
    const failure =
      error instanceof HearthError ? error : new HearthError('internal', text, { cause: error });
    this.registry.remove(instance);
    instance.failLoading(failure);
    const { code, message } = failure;
    this.#events.publish({
      type: 'instance.failed',
      ...subjectOf(instance),
      error: { code, message },
    });
  }

  /** Fails all requests if the engine exits by itself: then it has crashed. The next request loads the model again. */
  async #watch(instance: Instance, handle: EngineHandle): Promise<void> {
    const exit = await handle.closed;
    if (instance.isRetired) return;
    const { id } = instance;
    const isOutgrown = exit.lackedMemory === 'guard';
    const event = isOutgrown ? 'engine ended by the memory guard' : 'engine crashed';
    this.#options.logger.error({ instance: id, ...exit }, event);
    this.#events.publish({
      type: 'instance.crashed',
      ...subjectOf(instance),
      cause: isOutgrown ? 'memory_guard' : 'crash',
      reason: exit.reason,
    });
    this.registry.remove(instance);
    const message = `The engine of ${id} stopped: ${exit.reason}`;
    if (isOutgrown)
      instance.retireOutgrown(`${message}. Send the request again, or a smaller one.`);
    else instance.retire(new EngineLost('crashed', message, exit.wasRestoring ?? false));
    this.#scheduler.advance();
  }

  async #stop(instance: Instance, error: HearthError): Promise<void> {
    const { load } = instance;
    this.registry.beginStopping(instance);
    instance.retire(error);
    load?.cancel(error);
    if (instance.state === 'waiting') {
      this.#scheduler.withdraw(instance);
      instance.failLoading(error);
    }
    try {
      await load?.done.catch(() => {});
      await instance.handle?.stop();
    } finally {
      this.registry.remove(instance);
      this.#refreshGpuMemory();
      const reason = error.message;
      this.#events.publish({ type: 'instance.unloaded', ...subjectOf(instance), reason });
      this.#scheduler.advance();
    }
  }

  /** Reads the GPU memory again, since other programs may have taken or freed some. */
  #refreshGpuMemory(): void {
    const refreshed = this.#options.gpuMemory?.refresh(() => this.registry.gpuBytes());
    void refreshed?.then(() => this.#scheduler.advance());
  }
}

function subjectOf({ id, selection }: Instance) {
  return { instanceId: id, model: selection.model.key };
}
