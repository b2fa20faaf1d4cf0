import { join } from 'node:path';
import { databaseUrl } from '../settings/resolve-path.ts';
import type { Settings } from '../settings/settings-table.ts';
import { openObjectStorage } from '../store/s3/open-object-storage.ts';
import type { Logger } from '../kernel/logger.ts';
import { packageFolder } from '../platform/files/package-folder.ts';
import { openStore, startWaitMs } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';

/** Few suffice, since all queries except streams take only milliseconds. */
const postgresConnections = 10;

interface DatabaseOptions {
  readonly home: string;
  readonly homeId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Called during a migration with the fraction that is done, 0 to 1. */
  readonly onMigration: (fraction: number) => void;
  /** Receives the function that closes the database. */
  readonly cleanups: (() => unknown)[];
}

/**
 * Opens the database of a server, and the image storage if that is separate.
 *
 * @throws StoreOpenError
 */
export async function openDatabase(
  settings: Settings,
  { home, homeId, environment, logger, onMigration, cleanups }: DatabaseOptions,
): Promise<Store> {
  const objects = await openObjectStorage(settings['store.blobsUrl'], environment);
  cleanups.push(() => objects?.close());
  const database = await openStore({
    url: databaseUrl(home, settings),
    maxConnections: postgresConnections,
    homeId,
    objects,
    waitMs: startWaitMs,
    logger,
    threadScript: join(packageFolder, 'dist/statement-thread.js'),
    onMigration,
  });
  cleanups.push(() => database.close());
  return database;
}
