import type { LeaseRepository } from './lease-repository.ts';

export interface Lease {
  /** Aborts if another process has taken the lease because this process did not renew it in time. */
  readonly lost: AbortSignal;
  /** Gives the lease back; further calls do nothing. */
  release(): Promise<void>;
}

interface LeaseKeeperOptions {
  readonly leases: LeaseRepository;
  /** Id of this process, the same after a restart. */
  readonly holder: string;
  /** Called if a renewal or a release fails. A renewal is repeated; without a release the lease ends on its own. */
  readonly onError: (error: unknown) => void;
  readonly durationMs?: number;
  readonly renewMs?: number;
}

/** Leases of this process, renewed until they are released. */
export class LeaseKeeper {
  readonly #options: Required<LeaseKeeperOptions>;
  readonly #held = new Map<string, AbortController>();
  /** Leases that were requested from the database and are not renewed yet. */
  readonly #taking = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseKeeperOptions) {
    const { durationMs = 30_000 } = options;
    this.#options = { durationMs, renewMs: durationMs / 6, ...options };
  }

  /** Undefined while this or another process holds the lease. */
  async take(name: string): Promise<Lease | undefined> {
    if (this.#held.has(name) || this.#taking.has(name)) return undefined;
    const { leases, holder, durationMs, renewMs } = this.#options;
    this.#taking.add(name);
    try {
      if (!(await leases.acquire(name, holder, durationMs))) return undefined;
    } finally {
      this.#taking.delete(name);
    }
    const controller = new AbortController();
    this.#held.set(name, controller);
    this.#timer ??= setInterval(() => void this.#renew(), renewMs).unref();
    return { lost: controller.signal, release: () => this.#release(name, controller) };
  }

  /** Stops renewing; leases that were not released end on their own. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#renewing;
  }

  async #release(name: string, controller: AbortController): Promise<void> {
    if (this.#held.get(name) !== controller) return;
    const { leases, holder, onError } = this.#options;
    // Must stay after the deletion: until then the row is still ours.
    await leases.release(name, holder).catch(onError);
    this.#held.delete(name);
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewAll().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewAll(): Promise<void> {
    const { leases, holder, durationMs, onError } = this.#options;
    const before = new Map(this.#held);
    if (before.size === 0) return;
    try {
      const kept = await leases.renew([...before.keys()], holder, durationMs);
      for (const [name, controller] of before) {
        if (kept.has(name) || this.#held.get(name) !== controller) continue;
        this.#held.delete(name);
        controller.abort(new Error(`Another process has taken the lease ${name}.`));
      }
    } catch (error) {
      onError(error);
    }
  }
}
