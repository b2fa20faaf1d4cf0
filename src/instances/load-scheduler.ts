import { FairQueue } from '../concurrency/fair-queue.ts';
import type { HearthError } from '../contract/errors.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { Instance } from './instance.ts';
import type { InstanceRegistry } from './instance-registry.ts';
import { planLoad, type LoadPlan, type LoadRequest } from './plan-load.ts';
import { admit, maxAvailable, type Admission, type Capacity } from './policy/admit.ts';
import { isLeftBehind, isSuperseded } from './policy/eviction.ts';
import { isIdle } from './policy/instance-view.ts';
import { admissionQueueFull, neverFits, waitedTooLong, type RefusalReason } from './refusal.ts';

/** How often a queued load is decided again: nothing reports memory that other programs free. */
const recheckMs = 1000;

export interface SchedulerOptions {
  /** Bytes that a new process may use now. */
  readonly availableBytes: () => number;
  readonly defaults: { readonly contextLength: number; readonly parallel: number };
  /** Most bytes of all instances together; undefined: the memory of the machine. */
  readonly memoryLimitBytes: number | undefined;
  /** Most instances at once; undefined: any number. */
  readonly maxLoaded: number | undefined;
  /** Whether a model that a request loads replaces the one before. */
  readonly keepsOnlyLast: boolean;
  /** Loads that may wait for memory. */
  readonly loadQueueCapacity: number;
  /** Longest time that a load waits for memory, and that most requests wait for a load. */
  readonly loadWaitSeconds: number;
}

/** What follows from the scheduler's decisions. */
export interface SchedulerEffects {
  /** The turn of a load has come: its memory counts from this call on. */
  startLoad(instance: Instance): void;
  /** A queued load will not get its turn. */
  refuseLoad(instance: Instance, error: HearthError): void;
  /** An idle instance makes room. */
  evict(instance: Instance, reason: string): void;
}

interface QueuedLoad {
  readonly instance: Instance;
  readonly plan: LoadPlan;
  readonly clientKey: string;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Decides which load begins when, and which instances it evicts. Loads that must wait are queued; clients take
 * turns. While the first of them waits none overtakes it: free memory is kept for it, so that a large model gets
 * its turn among many small ones.
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
   * Plans a load; it changes nothing.
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

  /** Bytes that a load could use once all evictable instances are unloaded. */
  usableBytes({ demand }: LoadPlan): number {
    return maxAvailable(this.#registry.views(), demand, this.#capacity()).usableBytes;
  }

  /**
   * Makes sure that a load may begin or wait: evicts what it leaves behind and, in a full queue, displaces a load
   * of a client that has far more of them.
   *
   * @throws HearthError `out_of_memory`, `queue_full`.
   */
  prepare(plan: LoadPlan, clientKey: string): void {
    const { admission, demand } = plan;
    if (admission.kind === 'refuse') throw this.#refusal(plan, admission.lacks);
    if (this.#mustWait(plan)) this.#makeRoom(plan, clientKey);
    for (const other of this.#registry.list()) {
      if (isLeftBehind(other.view(), demand)) {
        this.#effects.evict(other, `${other.id} was replaced by an instance with another context.`);
      }
    }
  }

  /** Begins a load or queues it. The instance is on the list already; `prepare` came before. */
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

  /** Takes a load out of the queue; nothing happens where it is not queued. */
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

  /** The error for a request that can't wait until a queued load gets its turn. */
  waitedTooLong(instance: Instance): HearthError {
    const load = this.#queued.get(instance);
    if (load === undefined) throw new Error(`${instance.id} is not queued`);
    return this.#refusal(load.plan, 'time');
  }

  /** The last request has left an instance. */
  becameIdle(instance: Instance): void {
    if (instance.isSuperseded && !instance.isRetired && isIdle(instance.view())) {
      this.#effects.evict(instance, `${instance.id} was replaced by another model.`);
    }
    this.advance();
  }

  /** Decides again; to be called when an instance has ended or become idle, and when a load has ended. */
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
      if (isIdle(view)) this.#effects.evict(other, `${other.id} was replaced by ${instance.id}.`);
      else other.supersede();
    }
  }

  #evict(ids: readonly string[]): void {
    for (const id of ids) {
      const instance = this.#registry.get(id);
      if (instance !== undefined) {
        this.#effects.evict(instance, `${id} was unloaded to make room for another model.`);
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

  #refusal({ demand, config }: LoadPlan, reason: RefusalReason): HearthError {
    const { loadQueueCapacity, loadWaitSeconds } = this.#options;
    if (reason === 'queue') return admissionQueueFull(demand.modelKey, loadQueueCapacity);
    const refused = {
      instances: this.#registry.views(),
      demand,
      capacity: this.#capacity(),
      contextLength: config.contextLength,
    };
    return reason === 'time' ? waitedTooLong(refused, loadWaitSeconds) : neverFits(refused, reason);
  }

  #capacity(): Capacity {
    const { memoryLimitBytes: limitBytes, maxLoaded, keepsOnlyLast } = this.#options;
    const availableBytes = this.#options.availableBytes();
    return { limitBytes, availableBytes, maxLoaded, keepsOnlyLast };
  }
}
