import { EngineLost, type ContextCure } from './refusal.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { LoadedEngine } from '../states/state-cache.ts';
import { sumGpuBytes, type GpuBytes } from '../../platform/machine/gpu-devices.ts';
import type { Placement } from '../placement/place-model.ts';
import type { ModelSelection } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { InstanceSummary } from './instance-summary.ts';
import type { InstanceConfig } from './load-options.ts';
import { LoadTask } from './load-task.ts';
import type { InstanceView } from './policy/instance-view.ts';
import { PromptGate } from './prompt-gate.ts';
import { purposeOf, type Purpose } from './purpose.ts';
import { RecentPrompts, placedVariantId } from './policy/choose-instance.ts';
import { changedOptions, type SettingsInForce } from './settings-record.ts';
import { Scheduler } from '../scheduler/scheduler.ts';

interface InstanceOptions {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** Maximum number of requests that wait for a slot. */
  readonly queueCapacity: number;
  /** True if the instance uses memory of this machine. */
  readonly needsMemory: boolean;
  readonly placement: Placement;
  readonly gpuBytes: GpuBytes;
  /** The part of `estimatedBytes` that is mapped from a file: the weights. */
  readonly mappedBytes: number;
  /** Idle time until it is unloaded; undefined: it stays loaded. */
  readonly ttlSeconds: number | undefined;
  /** True if it was loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  readonly settings: InstanceSettings;
  readonly owner: InstanceOwner;
}

/** Model settings that concern an instance. */
export interface InstanceSettings {
  /** The settings of its model or profile. */
  readonly inForce: SettingsInForce;
  /** True if the instance stays loaded whatever its idle time. */
  readonly isPinned: boolean;
}

/** Listener of an instance that no request uses. */
export interface InstanceOwner {
  readonly registry: Pick<InstanceRegistry, 'hasWaiting'>;
  /** The instance is about to end, or a load waits for memory. */
  becameIdle(instance: Instance): void;
  /** The idle time is over. */
  expire(instance: Instance): void;
}

/** 24.8 days. A timer with a longer delay would fire immediately. */
const maxTimerSeconds = (2 ** 31 - 1) / 1000;

/** The part of a lease that the instance needs to end the lease's work. */
interface LeaseAbort {
  /** When the request took its current slot, as a value of `performance.now()`; undefined without a slot. */
  readonly workingSince: number | undefined;
  abort(error: HearthError): void;
}

/** An engine that takes requests. */
export interface ReadyEngine extends LoadedEngine {
  readonly promptGate: PromptGate;
}

/** A copy of a model in memory: its state, slots and leases. Only methods named as transitions change the state. */
export class Instance {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly modelKey: string;
  readonly variantId: string;
  readonly profile: string | undefined;
  readonly purpose: Purpose;
  readonly contextLength: number;
  readonly parallel: number;
  readonly adapterIds: readonly string[];
  readonly appliesAdapters: boolean;
  readonly placement: Placement;
  readonly #gpuBytes: GpuBytes;
  readonly isExplicit: boolean;
  readonly scheduler: Scheduler;
  readonly #needsMemory: boolean;
  readonly #mappedBytes: number;
  readonly #owner: InstanceOwner;
  /** Changes with the model's settings. */
  settings: InstanceSettings;
  readonly #loadedWith: SettingsInForce['load'];
  /** Beginnings of the latest prompts, so that a conversation returns to the instance that has it in its cache. */
  readonly prompts = new RecentPrompts();
  /** `waiting`: queued for memory. */
  state: 'waiting' | 'loading' | 'ready' = 'waiting';
  /** Undefined once the load has ended. */
  load: LoadTask | undefined = new LoadTask();
  /** Undefined until the instance is ready. */
  handle: ReadyEngine | undefined;
  /** Explains how to make a prompt fit that is too long. */
  contextCure: ContextCure = () => undefined;
  loadTimeSeconds = 0;
  /** True if the instance is unloaded as soon as it is idle, since another model replaces it. */
  isSuperseded = false;
  /** Fingerprint of the files that the engine has read; undefined before the load, or if they could not be read. */
  fingerprint: string | undefined;
  /** True if the model's files were replaced. The instance takes no new requests, and ends after the current ones. */
  isOutdated = false;
  /** Idle time until the instance would be unloaded if it were not pinned; undefined: it stays loaded. */
  usualTtlSeconds: number | undefined;
  readonly #leases = new Set<LeaseAbort>();
  #retiredWith: HearthError | undefined;
  #loadedAt: Date | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastUsedAt = performance.now();

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.selection = options.selection;
    this.config = options.config;
    this.modelKey = options.selection.model.key;
    this.variantId = placedVariantId(options.selection);
    this.profile = options.selection.alias;
    this.purpose = purposeOf(options.selection);
    this.contextLength = options.config.contextLength;
    this.parallel = options.config.parallel;
    this.adapterIds = (options.config.attachedAdapters ?? []).map((adapter) => adapter.id);
    this.appliesAdapters = (options.config.adapters ?? []).length > 0;
    this.placement = options.placement;
    this.#gpuBytes = options.gpuBytes;
    this.isExplicit = options.isExplicit;
    this.#needsMemory = options.needsMemory;
    this.#mappedBytes = options.mappedBytes;
    this.#owner = options.owner;
    this.settings = options.settings;
    this.#loadedWith = options.settings.inForce.load;
    this.usualTtlSeconds = options.ttlSeconds;
    this.scheduler = new Scheduler(options.config.parallel, options.queueCapacity);
  }

  /** Main memory of the machine. */
  get estimatedBytes(): number {
    return this.placement.hostBytes;
  }

  /** True if the instance is ready, no request uses it, and it is not about to end. */
  get isIdle(): boolean {
    const isEnding = this.#retiredWith !== undefined || this.isOutdated;
    return this.state === 'ready' && this.#leases.size === 0 && !isEnding;
  }

  /** Idle time until it is unloaded; undefined: it stays loaded. */
  get ttlSeconds(): number | undefined {
    return this.isPinned ? undefined : this.usualTtlSeconds;
  }

  get isPinned(): boolean {
    return this.settings.isPinned;
  }

  get isRetired(): boolean {
    return this.#retiredWith !== undefined;
  }

  /** Number of requests that run, wait for a slot, or wait for the load. */
  get requestCount(): number {
    return this.#leases.size;
  }

  /** Transition from `waiting`: the load begins. Requests get places from now on. */
  beginLoading(): void {
    this.state = 'loading';
    this.scheduler.open();
  }

  /** Transition from `loading`. */
  becomeReady(
    handle: LoadedEngine,
    loadTimeSeconds: number,
    contextCure: ContextCure = () => undefined,
  ): void {
    this.contextCure = contextCure;
    this.state = 'ready';
    const { engine, capabilities } = handle;
    const { contextLength, estimatesTokens } = capabilities;
    const { tokenizer } = this.selection.model;
    const promptGate = new PromptGate({ engine, tokenizer, contextLength, estimatesTokens });
    this.handle = { ...handle, promptGate };
    this.scheduler.manage(handle.slotManager);
    handle.slotManager?.prefill.onShared(this.scheduler.advance);
    this.loadTimeSeconds = loadTimeSeconds;
    this.#loadedAt = new Date();
    this.#lastUsedAt = performance.now();
    this.load?.succeed();
    this.load = undefined;
    this.startIdleTimer();
  }

  /** Transition from `waiting` or `loading`: the load ended without an engine. */
  failLoading(error: HearthError): void {
    this.retire(error);
    this.load?.fail(error);
    this.load = undefined;
  }

  supersede(): void {
    this.isSuperseded = true;
  }

  /** Transition from `loading` or `ready`: the files of the model were replaced. */
  outdate(): void {
    this.isOutdated = true;
    clearTimeout(this.#idleTimer);
  }

  /** Ends all requests with an error and accepts no more. Keeps the first error. */
  retire(error: HearthError): void {
    this.#retiredWith ??= error;
    clearTimeout(this.#idleTimer);
    this.scheduler.close(error);
    for (const lease of this.#leases) lease.abort(error);
  }

  /**
   * Like `retire`, after the memory guard ended the engine. The request that got its slot last is the likely cause;
   * the others may be repeated.
   */
  retireOutgrown(message: string): void {
    const [suspect] = [...this.#leases]
      .filter(({ workingSince }) => workingSince !== undefined)
      .toSorted((one, other) => (other.workingSince ?? 0) - (one.workingSince ?? 0));
    const error = new EngineLost('memory_exceeded', message, true);
    suspect?.abort(new EngineLost('memory_exceeded', message, false));
    this.retire(error);
  }

  /** @throws The HearthError that the instance was retired with. */
  addLease(lease: LeaseAbort): void {
    if (this.#retiredWith !== undefined) throw this.#retiredWith;
    this.#leases.add(lease);
    this.#lastUsedAt = performance.now();
    clearTimeout(this.#idleTimer);
  }

  removeLease(lease: LeaseAbort): void {
    this.#leases.delete(lease);
    this.#lastUsedAt = performance.now();
    if (this.#leases.size > 0) return;
    this.startIdleTimer();
    const isEnding = this.isOutdated || this.isSuperseded;
    if (isEnding || this.#owner.registry.hasWaiting) this.#owner.becameIdle(this);
  }

  /** Starts the idle time again, for an idle instance. */
  startIdleTimer(seconds = this.usualTtlSeconds): void {
    clearTimeout(this.#idleTimer);
    if (seconds === undefined || !this.isIdle) return;
    const next = Math.min(seconds, maxTimerSeconds);
    const expire = (): void => {
      if (seconds > next) this.startIdleTimer(seconds - next);
      // A pinned instance gets a new idle timer when it is no longer pinned.
      else if (!this.isPinned) this.#owner.expire(this);
    };
    this.#idleTimer = setTimeout(expire, next * 1000).unref();
  }

  /** Sets the idle time, unless the instance was loaded by name or is pinned. */
  setTtl(seconds: number): void {
    if (!this.isExplicit && !this.isPinned) this.usualTtlSeconds = seconds;
  }

  /** Beginnings of the instance's latest prompts. */
  get recentPrompts(): readonly string[] {
    return this.prompts.list();
  }

  /** A view for the scheduler's policies. */
  view(): InstanceView {
    const isEnding = this.isRetired || this.isOutdated;
    return {
      id: this.id,
      modelKey: this.modelKey,
      variantId: this.variantId,
      purpose: this.purpose,
      ...omitUndefined({ profile: this.profile }),
      contextLength: this.contextLength,
      parallel: this.parallel,
      adapterIds: this.adapterIds,
      appliesAdapters: this.appliesAdapters,
      state: isEnding && this.state !== 'waiting' ? 'stopping' : this.state,
      isExplicit: this.isExplicit,
      isPinned: this.isPinned,
      requestCount: this.#leases.size,
      lastUsedAt: this.#lastUsedAt,
      needsMemory: this.#needsMemory,
      estimatedBytes: this.estimatedBytes,
      gpuBytes: this.#gpuBytes,
      mappedBytes: this.#mappedBytes,
      recentPrompts: this.prompts.list(),
    };
  }

  /** A summary for code outside of the engines. */
  summary(): InstanceSummary {
    const { activeCount, waitingCount } = this.scheduler;
    const isReady = this.state === 'ready';
    const isIdle = this.#leases.size === 0;
    return {
      id: this.id,
      selection: this.selection,
      config: this.config,
      state: this.state,
      isExplicit: this.isExplicit,
      isPinned: this.isPinned,
      changedOptions: changedOptions(this.#loadedWith, this.settings.inForce.load),
      requestCount: this.#leases.size,
      // A request that gets its place during the load is not active yet.
      activeRequests: isReady ? activeCount : 0,
      queuedRequests: isReady ? waitingCount : activeCount + waitingCount,
      estimatedBytes: this.estimatedBytes,
      placement: this.placement,
      loadTimeSeconds: this.loadTimeSeconds,
      ...omitUndefined({
        loadedAt: this.#loadedAt,
        ttlSeconds: this.ttlSeconds,
        idleSeconds: isIdle ? (performance.now() - this.#lastUsedAt) / 1000 : undefined,
      }),
    };
  }
}

/** All instances by id, and stopping instances, which still use memory. */
export class InstanceRegistry {
  readonly #instances = new Map<string, Instance>();
  readonly #stopping = new Set<Instance>();

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** The instances that no longer take new requests, but may still serve some. */
  stopping(): readonly Instance[] {
    return [...this.#stopping];
  }

  /** True if any instance waits for memory. */
  get hasWaiting(): boolean {
    for (const { state } of this.#instances.values()) if (state === 'waiting') return true;
    return false;
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** Views of all instances that use or wait for memory, for the scheduler's policies. */
  views(): readonly InstanceView[] {
    return [...this.#instances.values(), ...this.#stopping].map((each) => each.view());
  }

  /** The GPU memory of all instances that use some. */
  gpuBytes(): GpuBytes {
    const holders = this.views().filter(({ state }) => state !== 'waiting');
    return sumGpuBytes(holders.map(({ gpuBytes }) => gpuBytes));
  }

  add(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** Frees the instance's id, but counts the memory until `remove`. */
  beginStopping(instance: Instance): void {
    this.remove(instance);
    this.#stopping.add(instance);
  }

  /** Removes an instance whose engine has ended. */
  remove(instance: Instance): void {
    this.#stopping.delete(instance);
    if (this.#instances.get(instance.id) === instance) this.#instances.delete(instance.id);
  }
}
