import type { Logger } from '../../kernel/logger.ts';
import type { Store } from '../store.ts';

interface WatchOptions {
  readonly store: Pick<Store, 'deletionCount'>;
  /** Called after another process, or this one, has deleted something. */
  readonly onDeletion: () => Promise<void>;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/** Forgets what this process has kept of texts that another process has deleted. */
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
