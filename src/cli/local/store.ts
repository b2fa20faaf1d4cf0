import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { databaseUrl } from '../../settings/database-url.ts';
import { loadSettings } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings-table.ts';
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
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { createMigrationView } from '../ui/migration-progress.ts';

interface LocalStore {
  readonly store: Store;
  readonly settings: Settings;
  /** The versions of the schema before and after a migration; undefined if there was none. */
  readonly migrated: SchemaVersions | undefined;
}

/** Works on the database of the home folder; a server may run. */
export async function withStore<Result>(
  context: CommandContext,
  work: (local: LocalStore) => Promise<Result>,
): Promise<Result> {
  const settings = await readSettings(context);
  let migrated: SchemaVersions | undefined;
  const store = await opening(context, (migration) =>
    openStore({
      url: databaseUrl(context.home, settings),
      maxConnections: commandConnections,
      onMigrated: (versions) => {
        migrated = versions;
      },
      ...migration,
    }),
  );
  try {
    return await work({ store, settings, migrated });
  } finally {
    await store.close();
  }
}

/**
 * The same for what only a database in a file can do.
 *
 * @param instead What to do with PostgreSQL, as a sentence.
 * @throws CommandError for PostgreSQL.
 */
export async function withSqliteStore<Result>(
  context: CommandContext,
  instead: string,
  work: (store: SqliteStore) => Promise<Result>,
): Promise<Result> {
  const file = databaseFile(context, await readSettings(context), instead);
  const store = await opening(context, (migration) => createSqliteStore({ file, ...migration }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The file or URL of a database to read.
 *
 * @param url That of the home folder if undefined.
 * @throws CommandError if there is no such file.
 */
export async function existingDatabase(
  context: CommandContext,
  url: string | undefined,
): Promise<string> {
  const found = url ?? databaseUrl(context.home, await readSettings(context));
  if (isPostgresUrl(found) || existsSync(found)) return found;
  throw new CommandError(`There is no database ${found}.`);
}

/** Works on the tables of a database, which is created if it does not exist, in the newest schema. */
export async function withTables<Result>(
  context: CommandContext,
  url: string,
  work: (tables: StoreTables) => Promise<Result>,
): Promise<Result> {
  const tables = await opening(context, (migration) => openTables(url, migration, context.signal));
  try {
    return await work(tables);
  } finally {
    await tables.close();
  }
}

/** Works with the storage of images, if there is one. */
export async function withObjects<Result>(
  context: CommandContext,
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

/** A command uses one at a time, but for a search. */
const commandConnections = 2;

/** Shows the progress of a migration, which a running server forbids. */
async function opening<Opened>(
  { home, terminal }: CommandContext,
  open: (
    options: Pick<SqliteStoreOptions, 'logger' | 'mayMigrate' | 'onMigration'>,
  ) => Promise<Opened>,
): Promise<Opened> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const migration = createMigrationView(terminal.messages);
  return open({
    logger: createLogger('error'),
    mayMigrate: async () => !(await isHomeInUse(home)),
    onMigration: (fraction) => migration.show(fraction),
  }).finally(() => migration.stop());
}

export async function readSettings({ home, environment }: CommandContext): Promise<Settings> {
  return loadSettings({ home, environment, flags: {} });
}

/**
 * The file of the database.
 *
 * @param instead What to do with PostgreSQL, as a sentence.
 * @throws CommandError for PostgreSQL.
 */
export function databaseFile(context: CommandContext, settings: Settings, instead: string): string {
  const url = databaseUrl(context.home, settings);
  if (!isPostgresUrl(url)) return url;
  throw new CommandError(
    `This command works on SQLite files; store.url is ${withoutPassword(url)}. ${instead}`,
  );
}

/** @throws CommandError if a server uses the home folder. */
export async function assertNoServer({ home }: CommandContext): Promise<void> {
  if (!(await isHomeInUse(home))) return;
  throw new CommandError(
    'A server uses the database. Stop it first with `hearth server stop`, which also stops a service until the next boot.',
  );
}
