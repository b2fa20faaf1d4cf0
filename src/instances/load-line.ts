import type { HearthError } from '../contract/errors.ts';
import type { Admission } from './decide/admit.ts';
import type { Instance } from './instance.ts';

interface LineOptions {
  /** Longest time that a load waits for its turn. */
  readonly waitMs: number;
  readonly decide: (instance: Instance) => Admission;
  /** Called when a load gets its turn, before anything else is decided. */
  readonly onAdmit: (instance: Instance) => void;
  readonly onEvict: (ids: readonly string[]) => void;
  readonly refuse: (instance: Instance, reason: 'memory' | 'places' | 'time') => HearthError;
}

interface Entry {
  readonly instance: Instance;
  readonly admit: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Loads in order of arrival, each waiting until there is memory for it. While the first waits none overtakes
 * it: what gets free is kept for it, so that a big model gets its turn among many small ones.
 */
export class LoadLine {
  readonly #options: LineOptions;
  readonly #entries: Entry[] = [];

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#entries.length;
  }

  /**
   * Resolves when the load may begin; `onAdmit` was called then. Where nothing is in the way that is at once.
   *
   * @throws HearthError what `refuse` gives; the signal's reason.
   */
  enter(instance: Instance, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const { waitMs, refuse } = this.#options;
      const leave = (): void => {
        const index = this.#entries.indexOf(entry);
        if (index >= 0) this.#entries.splice(index, 1);
        clearTimeout(timer);
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
      this.#entries.push(entry);
      signal.addEventListener('abort', abandon, { once: true });
      this.advance();
    });
  }

  /** Decides again; to be called whenever an instance has gone or got idle, and when a load has ended or given up. */
  advance(): void {
    const { decide, onAdmit, onEvict, refuse } = this.#options;
    for (let [first] = this.#entries; first !== undefined; [first] = this.#entries) {
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
}
