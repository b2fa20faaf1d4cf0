import type { HearthError } from '../contract/errors.ts';
import type { Admission } from './policy/admit.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import type { Instance } from './instance.ts';
import type { RefusalReason } from './refusal.ts';

/** How often the first is decided anew while it waits: nobody tells of memory that other programs free. */
const recheckMs = 1000;

interface LineOptions {
  /** Loads that may wait. */
  readonly capacity: number;
  /** Longest time that a load waits for its turn. */
  readonly waitMs: number;
  readonly decide: (instance: Instance) => Admission;
  /** Called when a load gets its turn, before anything else is decided. */
  readonly onAdmit: (instance: Instance) => void;
  readonly onEvict: (ids: readonly string[]) => void;
  readonly refuse: (instance: Instance, reason: RefusalReason) => HearthError;
}

interface Entry {
  readonly instance: Instance;
  readonly admit: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Loads that wait until there is memory for them; callers take turns. While the first waits none overtakes it:
 * what gets free is kept for it, so that a big model gets its turn among many small ones.
 */
export class AdmissionQueue {
  readonly #options: LineOptions;
  readonly #entries = new FairQueue<Entry>();
  #recheckTimer: NodeJS.Timeout | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Whether one more load of this caller may wait. Where it takes the place of another, that one fails. */
  makeRoomFor(caller: string): boolean {
    const { capacity, refuse } = this.#options;
    if (this.#entries.length < capacity) return true;
    const displaced = this.#entries.displacedBy(caller);
    displaced?.fail(refuse(displaced.instance, 'line'));
    return displaced !== undefined;
  }

  /**
   * Resolves when the load may begin; `onAdmit` was called then. Where nothing is in the way that is at once.
   *
   * @throws HearthError what `refuse` gives; the signal's reason.
   */
  enter(instance: Instance, caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const { waitMs, refuse } = this.#options;
      const leave = (): void => {
        this.#entries.remove(caller, entry);
        clearTimeout(timer);
        if (this.#entries.length === 0) this.#endRechecks();
        signal.removeEventListener('abort', abandon);
      };
      const abandon = (): void => entry.fail(signal.reason);
      const timer = setTimeout(() => entry.fail(refuse(instance, 'time')), waitMs);
      const entry: Entry = {
        instance,
        admit: () => {
          leave();
          resolve();
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      this.#entries.add(caller, entry);
      this.#recheckTimer ??= setInterval(() => this.advance(), recheckMs);
      signal.addEventListener('abort', abandon, { once: true });
      this.advance();
    });
  }

  /** Decides again; to be called whenever an instance has gone or got idle, and when a load has ended or given up. */
  advance(): void {
    const { decide, onAdmit, onEvict, refuse } = this.#options;
    for (let { first } = this.#entries; first !== undefined; { first } = this.#entries) {
      const { instance } = first;
      const decision = decide(instance);
      if (decision.kind === 'wait') {
        onEvict(decision.evict);
        return;
      }
      if (decision.kind === 'refuse') {
        first.fail(refuse(instance, decision.lacks));
      } else {
        first.admit();
        onAdmit(instance);
      }
    }
  }

  #endRechecks(): void {
    clearInterval(this.#recheckTimer);
    this.#recheckTimer = undefined;
  }
}
