import type { Kysely } from 'kysely';
import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { ObjectStorage } from '../blobs/object-storage.ts';
import { ChainReader } from '../chain-reader.ts';
import { createRepositories } from '../create-repositories.ts';
import { adoptDownloads } from '../download-repository.ts';
import type { SchemaVersions } from '../migrate.ts';
import type { Schema } from '../schema.ts';
import type { DownloadRepository, Store } from '../store.ts';
import { serverTimeouts, type PoolTimeouts } from './connection-pool.ts';
import { StoreUnavailableError } from './failure.ts';
import { isReadOnly, openPostgresDatabase } from './open-database.ts';
import { createPostgresTransactions } from './postgres-transactions.ts';
import { postgresDialect } from './postgres-dialect.ts';

interface PostgresStoreOptions {
  /** `postgres://…`; missing parts come from the variables of libpq, such as `PGPASSWORD`. */
  readonly url: string;
  readonly logger: Logger;
  /** The home folder whose downloads are found; absent for commands, which use none. */
  readonly homeId?: string | undefined;
  /** Keeps the images; the database does if absent. The caller closes it after the store. */
  readonly objects?: ObjectStorage | undefined;
  readonly maxConnections?: number;
  /** Time to wait for a database that can't be reached when the store is opened. */
  readonly waitMs?: number;
  /** Time limit for attempts to store a response while the database is not available. */
  readonly retryMs?: number;
  readonly timeouts?: PoolTimeouts;
  readonly onMigrated?: ((versions: SchemaVersions) => void) | undefined;
}

/**
 * Opens the database and brings its schema up to date; of several processes that start at once, one does.
 *
 * @throws StoreOpenError if it can't be reached or used, or is from a newer Hearth.
 */
export async function createPostgresStore({
  url,
  logger,
  homeId,
  objects,
  maxConnections = 10,
  waitMs = 0,
  retryMs = 10_000,
  timeouts = serverTimeouts,
  onMigrated,
}: PostgresStoreOptions): Promise<Store> {
  const database = await openPostgresDatabase({
    url,
    logger,
    maxConnections,
    waitMs,
    timeouts,
    onMigrated,
  });
  const transactions = createPostgresTransactions(database, retryMs);
  const chains = new ChainReader(database, postgresDialect.readSystemPrompts, () =>
    readDeletionCount(database),
  );
  if (homeId !== undefined) {
    // A standby can be read.
    await adoptDownloads(database, homeId).catch((err: unknown) =>
      logger.warn({ err }, 'downloads without a server not taken over'),
    );
  }
  const repositories = createRepositories({
    database,
    transactions,
    logger,
    chains,
    dialect: postgresDialect,
    // Texts are indexed when they are stored.
    backlog: { pendingCount: async () => 0 },
    objects,
    homeId,
    onDelete: () => chains.clear(),
  });
  return {
    ...repositories,
    downloads: withUpdatesInOrder(repositories.downloads),
    deletionCount: () => chains.forgetChanged(),
    fillSearchIndex: async () => 0,
    freeDiskBytes: async () => Number.POSITIVE_INFINITY,
    // Autovacuum does it.
    reclaim: async (signal) => signal.throwIfAborted(),
    ping: () => assertWritable(database),
    close: () => database.destroy(),
  };
}

/** The progress of a job must not overtake its end on another connection. */
function withUpdatesInOrder(downloads: DownloadRepository): DownloadRepository {
  const order = new Mutex();
  return { ...downloads, update: (download) => order.run(() => downloads.update(download)) };
}

async function readDeletionCount(database: Kysely<Schema>): Promise<number> {
  const row = await database
    .selectFrom('deletions')
    .select('deletion_count')
    .executeTakeFirstOrThrow();
  return row.deletion_count;
}

async function assertWritable(database: Kysely<Schema>): Promise<void> {
  if (await isReadOnly(database)) {
    throw new StoreUnavailableError('the database is read-only, as a standby is', undefined);
  }
}
