import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Mutex } from '../kernel/concurrency/semaphore.ts';
import type { Logger } from '../kernel/logger.ts';
import { freeBytesOf } from '../platform/files/free-bytes.ts';
import { sqliteResultCode, sqliteResultCodes, type SqliteConnection } from '../platform/sqlite.ts';
import { AfterCommits } from './after-commits.ts';
import { backUp } from './backup.ts';
import type { ObjectStorage } from './blobs/object-storage.ts';
import { ChainReader } from './chain-reader.ts';
import { SearchBacklog } from './conversations/search-backlog.ts';
import { createRepositories } from './create-repositories.ts';
import {
  applyIndexSettings,
  assertDiskRoom,
  freePages,
  mergeIndex,
  type RunAlone,
} from './reclaim-space.ts';
import { migrate, NewerSchemaError, readSchemaVersion, type SchemaVersions } from './migrate.ts';
import type { Schema } from './schema.ts';
import { openSqliteFile } from './open-sqlite-file.ts';
import { SqliteConnectionDialect } from './sqlite-connection.ts';
import { sqliteDialect, sqliteSchema } from './sqlite-dialect.ts';
import { StatementThread, type RunStatement } from './statement-thread.ts';
import { StoreOpenError } from './store-errors.ts';
import type { Store } from './store.ts';
import { serialTransactions, threadTransactions } from './transactions.ts';

/** Memory for pages: SQLite's default, which is enough for the indexes that a migration fills. */
const cacheKiB = 2000;
const migrationCacheKiB = 64 * 1024;

/** The store in a file. */
export interface SqliteStore extends Store {
  /** Rewrites the whole file, which blocks the process. No other process may use the file. */
  rewrite(): Promise<void>;
  /** Copies the database to a file, replacing an existing one. Blocks the process. */
  backUp(target: string): Promise<void>;
}

export interface SqliteStoreOptions {
  /** Created if it does not exist; its folder must exist. */
  readonly file: string;
  readonly logger: Logger;
  /** Storage for the images; if absent, the database keeps them. The caller closes it after the store. */
  readonly objects?: ObjectStorage | undefined;
  /**
   * Path of the bundled `statement-thread-main.js`, which runs slow statements in a thread. If absent, they block this
   * thread.
   */
  readonly threadScript?: string | undefined;
  /** False if an older schema must not be migrated now, for example because a server is running. Allowed if absent. */
  readonly mayMigrate?: () => Promise<boolean>;
  /** Called during a migration with the fraction that is done, 0 to 1. */
  readonly onMigration?: ((fraction: number) => void) | undefined;
  readonly onMigrated?: ((versions: SchemaVersions) => void) | undefined;
}

/**
 * Opens the SQLite database. Backs an older one up and migrates it.
 *
 * @throws StoreOpenError if the file can't be opened or written, is damaged, or is from a newer Hearth.
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { logger, file, objects, threadScript } = options;
  const { database, connection, afterCommits } = await open(options);
  const thread = threadScript === undefined ? undefined : new StatementThread(threadScript, file);
  const run: RunStatement = async (statement) =>
    thread === undefined ? connection.prepare(statement).all() : thread.run(statement);
  // Holds the connection, so that no other statement blocks this thread while it waits for the lock of the worker
  // thread.
  const runAlone: RunAlone = (work) => database.connection().execute(() => work(run));
  /** Merges run one after the other: each continues with the parts that the previous one left. */
  const merges = new Mutex();
  const merge = (extent: 'all' | 'some', signal: AbortSignal): Promise<void> =>
    merges.run(() => mergeIndex(runAlone, extent, signal), signal);
  const mergeSome = (signal: AbortSignal): Promise<void> => merge('some', signal);
  if (thread !== undefined) afterCommits.start({ thread, mergeIndex: mergeSome });
  const chains = new ChainReader(database);
  let hasDeletions = false;
  const transactions =
    thread === undefined
      ? serialTransactions(database)
      : threadTransactions({ database, thread, onCommit: afterCommits.noteCommit, logger });
  const backlog = new SearchBacklog(database, transactions, mergeSome);
  const onDelete = (): void => {
    chains.clear();
    hasDeletions = true;
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await afterCommits.close();
    // Waits for the worker thread's transaction, which holds the connection.
    await database.connection().execute(async () => thread?.close());
    await database.destroy();
  };
  return {
    ...createRepositories({
      database,
      transactions,
      logger,
      chains,
      dialect: sqliteDialect,
      backlog,
      objects,
      onDelete,
    }),
    // Constant, since only one process uses the database.
    deletionCount: async () => 0,
    fillSearchIndex: (signal) => backlog.fill(signal),
    freeDiskBytes: () => freeBytesOf(dirname(file)),
    reclaim: async (signal) => {
      const hadDeletions = hasDeletions;
      if (afterCommits.hasUnmerged) await merge(hadDeletions ? 'all' : 'some', signal);
      afterCommits.hasUnmerged = false;
      hasDeletions = false;
      await freePages(runAlone, database, signal);
      // The log still has the pages from before the deletions.
      if (hadDeletions) await runAlone(() => run('pragma wal_checkpoint(truncate)'));
    },
    rewrite: async () => {
      connection.exec(`insert into conversation_search(conversation_search) values ('optimize')`);
      // Files of early versions lack this setting.
      connection.exec('pragma auto_vacuum = incremental');
      connection.exec('vacuum');
    },
    backUp: (target) => backUp(connection, target),
    ping: async () => {
      await sql`select 1`.execute(database);
      await assertDiskRoom(file);
    },
    close: () => (closing ??= close()),
  };
}

interface OpenDatabase {
  readonly database: Kysely<Schema>;
  readonly connection: SqliteConnection;
  readonly afterCommits: AfterCommits;
}

async function open({
  file,
  logger,
  mayMigrate,
  onMigration,
  onMigrated,
}: SqliteStoreOptions): Promise<OpenDatabase> {
  let connection: SqliteConnection | undefined;
  try {
    connection = openSqliteFile(file, (message) => logger.warn({ file }, message));
    const afterCommits = new AfterCommits(connection, logger);
    const database = new Kysely<Schema>({
      dialect: new SqliteConnectionDialect(connection, afterCommits.noteCommit),
    });
    const version = await readSchemaVersion(database, sqliteSchema);
    const isOlder = version > 0 && version < sqliteSchema.version;
    if (isOlder) {
      if (mayMigrate !== undefined && !(await mayMigrate())) throw new OlderServerError();
      const backup = `${file}.schema-${version}.bak`;
      await backUp(connection, backup);
      logger.info({ file, backup }, 'database backed up before its migration');
      connection.exec(`pragma cache_size = -${migrationCacheKiB}`);
    }
    const { from, to } = await migrate(database, sqliteSchema, onMigration);
    if (isOlder) connection.exec(`pragma cache_size = -${cacheKiB}`);
    if (from !== to) {
      logger.info({ file, from, to }, 'database schema migrated');
      onMigrated?.({ from, to });
    }
    applyIndexSettings(connection);
    return { database, connection, afterCommits };
  } catch (error) {
    if (connection?.isOpen) connection.close();
    throw new StoreOpenError(`The database ${file} can't be used: ${explain(error)}.`, {
      cause: error,
      isPermanent: error instanceof NewerSchemaError || isDamage(error),
    });
  }
}

/** A migration would make the running server of an earlier version fail. */
class OlderServerError extends Error {
  override readonly name = 'OlderServerError';

  constructor() {
    super(
      'a running server of an earlier version uses it. Stop that server, or restart it with this version',
    );
  }
}

function isDamage(error: unknown): boolean {
  const code = sqliteResultCode(error);
  return code === sqliteResultCodes.notADatabase || code === sqliteResultCodes.corrupt;
}

function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof OlderServerError) return reason;
  if (error instanceof NewerSchemaError) {
    return `${reason}. Install that version again, or start with another home folder`;
  }
  switch (sqliteResultCode(error)) {
    case sqliteResultCodes.notADatabase:
    case sqliteResultCodes.corrupt:
      return `it is damaged (${reason}). Put a backup in its place, or move it away together with its -wal and -shm files to start with an empty one; \`hearth store restore\` does the former`;
    case sqliteResultCodes.full:
      return `the disk is full (${reason}). Free some space; a migration also needs room for a backup`;
    case sqliteResultCodes.readOnly:
      return `it is read-only (${reason}). Check the permissions of the file and its folder, and that the file system is not mounted read-only`;
    case sqliteResultCodes.inputOutput:
      return `the disk reported an error (${reason}). Check the disk and the log of the system`;
    case sqliteResultCodes.busy:
      return `another process has locked it (${reason}). Stop that process, or try again`;
    default:
      return `${reason}. Check that its folder exists, may be written to and has room`;
  }
}
