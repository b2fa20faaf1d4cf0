import type { AvailableMemory } from '../../platform/machine/available-memory.ts';
import { dedicatedBytes } from '../../platform/machine/gpu-devices.ts';
import { FairQueue } from '../../kernel/concurrency/fair-queue.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { EvictionCause } from '../../kernel/events/server-event.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { GpuMemory } from './gpu-memory.ts';
import type { Instance, InstanceRegistry } from './instance.ts';
import type { LoadDefaults } from './load-options.ts';
import type { LoadDemand } from './policy/eviction.ts';
import { planLoad, type LoadPlan, type LoadRequest } from './plan-load.ts';
import { admit, maxAvailable, type Admission, type Capacity } from './policy/admit.ts';
import { isLeftBehind, isSuperseded } from './policy/eviction.ts';
import { isIdle } from './policy/instance-view.ts';
import { admissionQueueFull, neverFits, waitedTooLong, type RefusalReason } from './refusal.ts';

/** Interval for reconsidering queued loads, since no event reports memory that other programs free. */
const recheckMs = 1000;

export interface SchedulerOptions {
  /** Bytes that a new process can use now. */
  readonly availableMemory: () => AvailableMemory;
  /** GPU memory, if the loaders place models on GPUs. */
  readonly gpuMemory?:
    | Pick<GpuMemory, 'budgets' | 'capacityBytes' | 'know' | 'refresh'>
    | undefined;
  readonly defaults: LoadDefaults;
  /** Maximum bytes of all instances together; undefined: limited only by the machine's memory. */
  readonly memoryLimitBytes: number | undefined;
  /** Maximum number of instances; undefined: unlimited. */
  readonly maxLoaded: number | undefined;
  /** True if a just-in-time load replaces the previous just-in-time model. */
  readonly keepsOnlyLast: boolean;
  /** Maximum number of loads that wait for memory. */
  readonly loadQueueCapacity: number;
  /** Time limit for a load that waits for memory, and for requests that wait for a load without seeing its progress. */
  readonly loadWaitSeconds: number;
}

/** Carries out the scheduler's decisions. */
export interface SchedulerEffects {
  /** Begins a load. The instance's memory counts from this call on. */
  startLoad(instance: Instance): void;
  /** Fails a queued load. */
  refuseLoad(instance: Instance, error: HearthError): void;
  /** Unloads an idle instance to free memory. */
  evict(instance: Instance, cause: EvictionCause, reason: string): void;
}

interface QueuedLoad {
  readonly instance: Instance;
  readonly plan: LoadPlan;
  readonly clientKey: string;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Decides when loads begin and which instances they evict. Loads that must wait are queued; clients take turns. No
 * load overtakes the first one in the queue: free memory is reserved for that load, so that a large model is loaded
 * despite many small ones.
 */
export class LoadScheduler {
  readonly #options: SchedulerOptions;
  readonly #registry: InstanceRegistry;
  readonly #effects: SchedulerEffects;
  readonly #queue = new FairQueue<QueuedLoad>();
  readonly #queued = new Map<Instance, QueuedLoad>();
  #recheckTimer: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions, registry: InstanceRegistry, effects: SchedulerEffects) {
    this.#options = options;
    this.#registry = registry;
    this.#effects = effects;
  }

  /**
   * Plans a load without changing any state.
   *
   * @throws HearthError `invalid_value` for a setting that the model does not support.
   */
  plan(request: LoadRequest, loader: EngineLoader): LoadPlan {
    return planLoad(request, {
      loader,
      instances: this.#registry.views(),
      capacity: this.#capacity(),
      defaults: this.#options.defaults,
    });
  }

  /**
   * Bytes of main memory and GPU memory that a load could use after unloading all evictable instances.
   *
   * @param demand Absent: any load by name.
   */
  usableBytes(demand?: LoadDemand): number {
    const available = maxAvailable(this.#registry.views(), demand, this.#capacity());
    return available.usableBytes + dedicatedBytes(available.usableGpus);
  }

  /**
   * Checks that a load may begin or wait. Evicts idle instances of the same model that the load supersedes. If the
   * queue is full, displaces a load of a client that has far more loads in the queue.
   *
   * @throws HearthError `out_of_memory`, `queue_full`.
   */
  prepare(plan: LoadPlan, clientKey: string): void {
    const { admission, demand } = plan;
    if (admission.kind === 'refuse') throw this.#refusal(plan, admission.lacks);
    if (this.#mustWait(plan)) this.#makeRoom(plan, clientKey);
    for (const other of this.#registry.list()) {
      if (isLeftBehind(other.view(), demand)) {
        const reason = `${other.id} was replaced by an instance with another context or other adapters.`;
        this.#effects.evict(other, 'replaced', reason);
      }
    }
  }

  /** Begins or queues a load. The caller must call `prepare` and register the instance first. */
  submit(instance: Instance, plan: LoadPlan, clientKey: string): void {
    if (plan.request.isForced || !plan.demand.needsMemory) {
      this.#begin(instance, plan);
      return;
    }
    const waitMs = this.#options.loadWaitSeconds * 1000;
    const deadline = setTimeout(() => this.#giveUp(instance), waitMs);
    const load = { instance, plan, clientKey, deadline };
    this.#queue.add(clientKey, load);
    this.#queued.set(instance, load);
    this.#recheckTimer ??= setInterval(() => this.advance(), recheckMs);
    this.advance();
  }

  /** Removes a load from the queue, if it is queued. */
  withdraw(instance: Instance): void {
    const load = this.#queued.get(instance);
    if (load === undefined) return;
    clearTimeout(load.deadline);
    this.#queued.delete(instance);
    this.#queue.remove(load.clientKey, load);
    if (this.#queue.length > 0) return;
    clearInterval(this.#recheckTimer);
    this.#recheckTimer = undefined;
  }

  /** Call it when the last request has released an instance. */
  becameIdle(instance: Instance): void {
    if (instance.isSuperseded && instance.isIdle) {
      this.#effects.evict(instance, 'replaced', `${instance.id} was replaced by another model.`);
    }
    this.advance();
  }

  /** Reconsiders the queue. Call it when an instance has ended or become idle, and when a load has ended. */
  advance(): void {
    for (let { first } = this.#queue; first !== undefined; { first } = this.#queue) {
      const { instance, plan } = first;
      const decision = this.#decide(plan);
      if (decision.kind === 'wait') {
        this.#evict(decision.evict);
        return;
      }
      if (decision.kind === 'refuse') {
        this.#refuse(first, decision.lacks);
      } else {
        this.withdraw(instance);
        this.#begin(instance, plan);
      }
    }
  }

  #mustWait({ request, demand, admission }: LoadPlan): boolean {
    if (request.isForced || !demand.needsMemory) return false;
    return admission.kind === 'wait' || this.#queue.length > 0;
  }

  /** @throws HearthError `queue_full`. */
  #makeRoom(plan: LoadPlan, clientKey: string): void {
    if (this.#queue.length < this.#options.loadQueueCapacity) return;
    const displaced = this.#queue.displacedBy(clientKey);
    if (displaced === undefined) throw this.#refusal(plan, 'queue');
    this.#refuse(displaced, 'queue');
  }

  #begin(instance: Instance, { demand }: LoadPlan): void {
    this.#effects.startLoad(instance);
    if (!this.#options.keepsOnlyLast) return;
    for (const other of this.#registry.list()) {
      const view = other.view();
      if (!isSuperseded(view, demand)) continue;
      if (isIdle(view)) {
        const reason = `${other.id} was replaced by ${instance.id}.`;
        this.#effects.evict(other, 'replaced', reason);
      } else other.supersede();
    }
  }

  #evict(ids: readonly string[]): void {
    for (const id of ids) {
      const instance = this.#registry.get(id);
      if (instance !== undefined) {
        const reason = `${id} was unloaded to make room for another model.`;
        this.#effects.evict(instance, 'memory', reason);
      }
    }
  }

  #giveUp(instance: Instance): void {
    const load = this.#queued.get(instance);
    if (load !== undefined) this.#refuse(load, 'time');
    this.advance();
  }

  #refuse({ instance, plan }: QueuedLoad, reason: RefusalReason): void {
    const error = this.#refusal(plan, reason);
    this.withdraw(instance);
    this.#effects.refuseLoad(instance, error);
  }

  #decide({ demand }: LoadPlan): Admission {
    return admit(this.#registry.views(), demand, this.#capacity());
  }

  #refusal({ demand, config, fittingContext }: LoadPlan, reason: RefusalReason): HearthError {
    const { loadQueueCapacity, loadWaitSeconds } = this.#options;
    if (reason === 'queue') return admissionQueueFull(demand.modelKey, loadQueueCapacity);
    const refused = {
      instances: this.#registry.views(),
      demand,
      capacity: this.#capacity(),
      contextLength: config.contextLength,
      fittingContext,
    };
    return reason === 'time' ? waitedTooLong(refused, loadWaitSeconds) : neverFits(refused, reason);
  }

  #capacity(): Capacity {
    const { memoryLimitBytes: limitBytes, maxLoaded, keepsOnlyLast } = this.#options;
    const available = this.#options.availableMemory();
    const gpus = this.#options.gpuMemory?.budgets ?? [];
    return { limitBytes, available, gpus, maxLoaded, keepsOnlyLast };
  }
}
