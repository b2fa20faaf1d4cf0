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
  /** The home folder whose downloads are visible; absent for commands, which use none. */
  readonly homeId?: string | undefined;
  /** Storage for the images; if absent, the database keeps them. The caller closes it after the store. */
  readonly objects?: ObjectStorage | undefined;
  readonly maxConnections?: number;
  /** Time to wait for a database that can't be reached. */
  readonly waitMs?: number;
  /** Time for which storing a response is repeated while the database is not available. */
  readonly retryMs?: number;
  readonly timeouts?: PoolTimeouts;
  readonly onMigrated?: ((versions: SchemaVersions) => void) | undefined;
}

/**
 * Opens the database and brings its schema up to date. If several processes start at once, one of them migrates.
 *
 * @throws StoreOpenError if the database can't be reached or used, or is from a newer Hearth.
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
    // Fails on a standby, which can still be read.
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
    // Always empty, since texts are indexed when they are stored.
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
    // Autovacuum frees space.
    reclaim: async (signal) => signal.throwIfAborted(),
    ping: () => assertWritable(database),
    close: () => database.destroy(),
  };
}

/** Runs updates one after the other: on separate connections a job's progress could overwrite its end. */
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
