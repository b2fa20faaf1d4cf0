import { RateLimiter } from '../access/rate-limiter.ts';
import { UsageRecorder } from '../access/usage-recorder.ts';
import { BackgroundTurns } from '../chat/background/background-turns.ts';
import type { Settings } from '../settings/settings-table.ts';
import { RateGate } from '../api/kit/guards/rate-gate.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ServerEvents } from '../kernel/events/server-events.ts';
import { startMaintenance, watchDeletions } from '../store/maintenance.ts';
import { LeaseKeeper } from '../store/shared/lease-keeper.ts';
import type { Store } from '../store/store.ts';

/** Time after which another server of the database takes over a stopped server's jobs. */
export const leaseMs = 30_000;

interface SharedStore {
  readonly store: Store;
  readonly logger: Logger;
}

interface CareOptions extends SharedStore {
  readonly events: ServerEvents;
  /** Id of this server, the same after a restart. */
  readonly homeId: string;
  /** Called if another server has deleted something. */
  readonly onDeletion: () => Promise<void>;
  /** Receives a function that ends the work. */
  readonly cleanups: (() => unknown)[];
}

/**
 * Renews this server's leases, watches for other servers' deletions, and maintains the database unless another server
 * does. Counts and limits the tokens' usage.
 */
export function careForStore(
  settings: Settings,
  { store, events, logger, homeId, onDeletion, cleanups }: CareOptions,
) {
  const deletions = watchDeletions({ store, onDeletion, logger });
  cleanups.push(() => deletions.close());
  const leases = new LeaseKeeper({
    leases: store.leases,
    holder: homeId,
    durationMs: leaseMs,
    onError: (err) => logger.warn({ err }, 'leases of this server not renewed'),
  });
  cleanups.push(() => leases.close());
  const maintenance = startMaintenance({
    store,
    leases,
    limits: {
      retentionDays: settings['store.retentionDays'],
      maxBytes: settings['store.maxBytes'],
    },
    logger,
  });
  cleanups.push(() => maintenance.close());
  const usage = new UsageRecorder({
    store: store.usage,
    events,
    onError: (err) => logger.warn({ err }, 'usage not written; it is kept for later'),
  });
  cleanups.push(() => usage.close());
  return { leases, usage, rateGate: createRateGate(settings, { store, events, logger }) };
}

/** Creates the background turns of this server, and ends the turns of servers that have stopped. */
export function createBackground(
  parts: SharedStore & { readonly leases: LeaseKeeper },
): BackgroundTurns {
  const background = new BackgroundTurns({
    ...parts,
    maxRunning: 16,
    lookMs: 5000,
  });
  background.watch();
  return background;
}

/** Applies the tokens' limits, or else the limits of the settings. */
function createRateGate(
  settings: Settings,
  { store, events, logger }: SharedStore & { readonly events: ServerEvents },
): RateGate {
  const limiter = new RateLimiter({
    store: store.rateLimits,
    defaults: {
      requestsPerMinute: settings['limits.requestsPerMinute'] ?? null,
      tokensPerMinute: settings['limits.tokensPerMinute'] ?? null,
      requestsPerDay: settings['limits.requestsPerDay'] ?? null,
      tokensPerDay: settings['limits.tokensPerDay'] ?? null,
    },
    onError: (err) => logger.warn({ err }, 'used tokens not counted for the limits'),
  });
  return new RateGate(limiter, events);
}
