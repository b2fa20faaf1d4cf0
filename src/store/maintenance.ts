import type { Logger } from '../kernel/logger.ts';
import type { Lease, LeaseKeeper } from './shared/lease-keeper.ts';
import { deleteLeftTemporary, prune, type RetentionLimits } from './prune.ts';
import type { OwnerRepository, Store } from './store.ts';

interface MaintenanceOptions {
  readonly store: Store;
  /** Leases, so that only one process of a database does the maintenance. */
  readonly leases: Pick<LeaseKeeper, 'take'>;
  readonly limits: RetentionLimits;
  readonly logger: Logger;
  /** Delay before the first run and between runs. */
  readonly intervalMs?: number;
}

/** Applies the limits of the store and frees unused space at regular intervals. */
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
      await deleteLeftTemporary(store, signal);
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

/** Indexes the conversations of an older database while the server runs. */
export function startIndexing({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'fillSearchIndex'>;
  readonly logger: Logger;
}): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const index = async (): Promise<void> => {
    try {
      const count = await store.fillSearchIndex(signal);
      if (count > 0) logger.info({ count }, 'older conversations indexed for the search');
    } catch (err) {
      if (!signal.aborted) logger.warn({ err }, 'older conversations not indexed for the search');
    }
  };
  const running = index();
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

interface WatchOptions {
  readonly store: Pick<Store, 'deletionCount'>;
  /** Called after this or another process has deleted something. */
  readonly onDeletion: () => Promise<void>;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/** Drops cached texts that other processes have deleted. */
export function watchDeletions({ store, onDeletion, logger, intervalMs = 10_000 }: WatchOptions): {
  readonly close: () => Promise<void>;
} {
  let known: number | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    try {
      const count = await store.deletionCount();
      if (known !== undefined && count !== known) await onDeletion();
      known = count;
    } catch (err) {
      logger.warn({ err }, 'deletions of other servers not read');
    } finally {
      looking = undefined;
    }
  };
  const timer = setInterval(() => void (looking ??= look()), intervalMs).unref();
  looking = look();
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Logs how many stored responses no client can list after tokens became required. */
export async function logUnlisted(
  owners: Pick<OwnerRepository, 'counts'>,
  logger: Logger,
): Promise<void> {
  const unlisted = (await owners.counts()).find((each) => each.ownerId === null);
  if (unlisted === undefined) return;
  const { responseCount, conversationCount } = unlisted;
  logger.warn(
    { responseCount, conversationCount },
    'conversations that were stored without a token are in no list: `hearth token adopt TOKEN` moves them to a token',
  );
}
