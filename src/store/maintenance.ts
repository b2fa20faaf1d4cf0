import type { Logger } from '../kernel/logger.ts';
import type { Lease, LeaseKeeper } from './shared/lease-keeper.ts';
import { prune, type RetentionLimits } from './prune.ts';
import type { Store } from './store.ts';

interface MaintenanceOptions {
  readonly store: Store;
  /** So that one of the processes of a database does it. */
  readonly leases: Pick<LeaseKeeper, 'take'>;
  readonly limits: RetentionLimits;
  readonly logger: Logger;
  /** Time before the first run, and between two runs. */
  readonly intervalMs?: number;
}

/** Applies the limits of the store and gives unused space back, now and then. */
export function startMaintenance({
  store,
  leases,
  limits,
  logger,
  intervalMs = 10 * 60_000,
}: MaintenanceOptions): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let lease: Lease | undefined;
    try {
      lease = await leases.take('maintenance');
      if (lease === undefined) return;
      await store.leases.removeEnded();
      const deleted = await prune(store, limits, signal);
      if (deleted > 0) logger.info({ deleted }, 'conversations beyond the limits were deleted');
      await store.reclaim(signal);
      await store.deleteDiscardedObjects(signal);
    } catch (err) {
      if (!signal.aborted) logger.warn({ err }, 'maintenance of the database failed');
    } finally {
      await lease?.release();
      running = undefined;
    }
  }

  const timer = setInterval(() => {
    running ??= run();
  }, intervalMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
