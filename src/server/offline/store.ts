import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { databaseUrl } from '../../settings/resolve-path.ts';
import type { Settings } from '../../settings/settings-table.ts';
import type { inspectPostgres as inspect } from '../../store/postgres/inspect-database.ts';
import { isHomeInUse } from '../../platform/home/home-lock.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { isPostgresUrl, withoutPassword } from '../../kernel/postgres-url.ts';
import type { SchemaVersions } from '../../store/migrate.ts';
import type { ObjectStorage } from '../../store/blobs/object-storage.ts';
import { openObjectStorage } from '../../store/s3/open-object-storage.ts';
import { openStore } from '../../store/open-store.ts';
import {
  createSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from '../../store/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { openTables } from '../../store/tables/open-tables.ts';
import type { StoreTables } from '../../store/tables/store-tables.ts';
import { OfflineError } from './errors.ts';
import { readSettings, type OfflineHome } from './offline-home.ts';

export { readSettings } from './offline-home.ts';
export { prune } from '../../store/prune.ts';
export { restoreBackup } from '../../store/backup.ts';
export { checkTables } from '../../store/tables/check-tables.ts';
export { CopyError, copyTables } from '../../store/tables/copy-tables.ts';

/** Reads the state of a PostgreSQL database. Loads the driver on use. */
export async function inspectPostgres(url: string): ReturnType<typeof inspect> {
  const database = await import('../../store/postgres/inspect-database.ts');
  return database.inspectPostgres(url, createLogger('silent'));
}

interface LocalStore {
  readonly store: Store;
  readonly settings: Settings;
  /** Versions of the schema before and after a migration; undefined if there was none. */
  readonly migrated: SchemaVersions | undefined;
}

/** Runs work on the home folder's database, even while a server is running. */
export async function withStore<Result>(
  context: OfflineHome,
  work: (local: LocalStore) => Promise<Result>,
): Promise<Result> {
  const settings = await readSettings(context);
  let migrated: SchemaVersions | undefined;
  const store = await opening(context, (shared) =>
    openStore({
      url: databaseUrl(context.home, settings),
      maxConnections: commandConnections,
      onMigrated: (versions) => {
        migrated = versions;
      },
      ...shared,
    }),
  );
  try {
    return await work({ store, settings, migrated });
  } finally {
    await store.close();
  }
}

/**
 * Like `withStore`, for work that requires a SQLite database.
 *
 * @param instead Advice for PostgreSQL, as a sentence.
 * @throws OfflineError for PostgreSQL.
 */
export async function withSqliteStore<Result>(
  context: OfflineHome,
  instead: string,
  work: (store: SqliteStore) => Promise<Result>,
): Promise<Result> {
  const file = databaseFile(context, await readSettings(context), instead);
  const store = await opening(context, (shared) => createSqliteStore({ file, ...shared }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The file or URL of an existing database to read.
 *
 * @param url If undefined, the home folder's database.
 * @throws OfflineError if there is no such file.
 */
export async function existingDatabase(
  context: OfflineHome,
  url: string | undefined,
): Promise<string> {
  const found = url ?? databaseUrl(context.home, await readSettings(context));
  if (isPostgresUrl(found) || existsSync(found)) return found;
  throw new OfflineError(`There is no database ${found}.`);
}

/** Runs work on the tables of a database. Creates the database if needed, and migrates it to the newest schema. */
export async function withTables<Result>(
  context: OfflineHome,
  url: string,
  work: (tables: StoreTables) => Promise<Result>,
): Promise<Result> {
  const tables = await opening(context, (shared) => openTables(url, shared, context.signal));
  try {
    return await work(tables);
  } finally {
    await tables.close();
  }
}

/** Runs work with the image storage, which is undefined if none is configured. */
export async function withObjects<Result>(
  context: OfflineHome,
  work: (objects: ObjectStorage | undefined) => Promise<Result>,
): Promise<Result> {
  const { 'store.blobsUrl': url } = await readSettings(context);
  const objects = await openObjectStorage(url, context.environment);
  try {
    return await work(objects);
  } finally {
    await objects?.close();
  }
}

/** A command uses one connection; only a search needs another. */
const commandConnections = 2;

/** Shows the progress of a migration. Prevents a migration while a server is running. */
async function opening<Opened>(
  { home, migration }: OfflineHome,
  open: (
    options: Pick<SqliteStoreOptions, 'logger' | 'mayMigrate' | 'onMigration'>,
  ) => Promise<Opened>,
): Promise<Opened> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  return open({
    logger: createLogger('error'),
    mayMigrate: async () => !(await isHomeInUse(home)),
    onMigration: (fraction) => migration?.show(fraction),
  }).finally(() => migration?.stop());
}

/**
 * The database file of the home folder.
 *
 * @param instead Advice for PostgreSQL, as a sentence.
 * @throws OfflineError for PostgreSQL.
 */
export function databaseFile(context: OfflineHome, settings: Settings, instead: string): string {
  const url = databaseUrl(context.home, settings);
  if (!isPostgresUrl(url)) return url;
  throw new OfflineError(
    `This command works on SQLite files; store.url is ${withoutPassword(url)}. ${instead}`,
  );
}

/** @throws OfflineError if a server is using the home folder. */
export async function assertNoServer({ home }: OfflineHome): Promise<void> {
  if (!(await isHomeInUse(home))) return;
  throw new OfflineError(
    'A server uses the database. Stop it first with `hearth server stop`, which also stops a service until the next boot.',
  );
}
