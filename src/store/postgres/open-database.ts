import { setTimeout as delay } from 'node:timers/promises';
import {
  HandleEmptyInListsPlugin,
  Kysely,
  type QueryExecutor,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely';
import { errorCode } from '../../kernel/error-code.ts';
import { withoutPassword } from '../../kernel/postgres-url.ts';
import { migrate, NewerSchemaError, readSchemaVersion, type SchemaVersions } from '../migrate.ts';
import type { Schema } from '../schema.ts';
import { StoreOpenError } from '../store-errors.ts';
import { createConnectionPool, maintenanceTimeouts, type PoolOptions } from './connection-pool.ts';
import { StoreUnavailableError } from './failure.ts';
import { LockingPostgresDialect } from './postgres-transactions.ts';
import { postgresSchema } from './postgres-dialect.ts';

/** The first version that lets a database's owner create the extension pg_trgm. */
const minVersion = 13;
const retryDelayMs = 1000;

interface OpenOptions extends PoolOptions {
  /** Time to wait for a database that can't be reached. */
  readonly waitMs: number;
  readonly onMigrated?: ((versions: SchemaVersions) => void) | undefined;
}

/** Kysely on a pool that opens connections as needed. */
export function createPostgresDatabase(options: PoolOptions): Kysely<Schema> {
  const database = new Kysely<Schema>({
    dialect: new LockingPostgresDialect({ pool: () => createConnectionPool(options) }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  sendAtOnce(database.getExecutor());
  return database;
}

/** Sends each statement at once; Kysely alone waits for the end of the one before. */
function sendAtOnce(executor: QueryExecutor): void {
  const withProvider = executor.withConnectionProvider.bind(executor);
  executor.withConnectionProvider = (provider) => {
    const connection = provider.provideConnection(async (provided) => provided);
    return withProvider({ provideConnection: async (consumer) => consumer(await connection) });
  };
}

/**
 * Connects, and brings the schema up to date.
 *
 * @throws StoreOpenError
 */
export async function openPostgresDatabase(options: OpenOptions): Promise<Kysely<Schema>> {
  const { url, logger, waitMs } = options;
  const shown = withoutPassword(url);
  const until = performance.now() + waitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await prepare(options);
      return createPostgresDatabase(options);
    } catch (error) {
      const isTransient = error instanceof StoreUnavailableError && !isRefusal(error.cause);
      if (!isTransient || performance.now() > until) {
        const { reason, remedy } = explain(error);
        throw new StoreOpenError(`The database ${shown} can't be used: ${reason}. ${remedy}.`, {
          cause: error,
          isPermanent: error instanceof NewerSchemaError,
        });
      }
      if (attempt === 1) logger.warn({ reason: error.message }, 'waiting for the database');
    }
    await delay(retryDelayMs);
  }
}

/** Checks the server and migrates, on a connection without time limits. */
async function prepare({ url, logger, onMigrated }: OpenOptions): Promise<void> {
  const database = createPostgresDatabase({
    url,
    logger,
    maxConnections: 1,
    timeouts: maintenanceTimeouts,
  });
  try {
    assertSupported(await readServer(database));
    // A user without the right to create tables can use those that exist.
    if ((await readSchemaVersion(database, postgresSchema)) === postgresSchema.version) return;
    const { from, to } = await migrate(database, postgresSchema);
    if (from !== to) {
      logger.info({ from, to }, 'database schema migrated');
      onMigrated?.({ from, to });
    }
  } finally {
    await database.destroy();
  }
}

export interface PostgresServer {
  /** Such as 150004 for 15.4. */
  readonly version: number;
  readonly encoding: string;
}

export async function readServer(database: Kysely<Schema>): Promise<PostgresServer> {
  const { rows } = await sql<PostgresServer>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(database);
  return rows[0] ?? { version: 0, encoding: 'unknown' };
}

/** True if the database rejects changes, as a standby does. */
export async function isReadOnly(database: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{
    readonly setting: string;
  }>`select current_setting('transaction_read_only') as setting`.execute(database);
  return rows[0]?.setting !== 'off';
}

/** @throws UnsupportedServerError */
export function assertSupported({ version, encoding }: PostgresServer): void {
  const major = Math.floor(version / 10_000);
  if (major < minVersion) {
    throw new UnsupportedServerError(
      `its server is PostgreSQL ${major}`,
      `Hearth needs ${minVersion} or later`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new UnsupportedServerError(
      `its encoding is ${encoding}`,
      'Create one with `createdb --template=template0 --encoding=UTF8`',
    );
  }
}

class UnsupportedServerError extends Error {
  override readonly name = 'UnsupportedServerError';
  readonly explanation: Explanation;

  constructor(reason: string, remedy: string) {
    super(`${reason}. ${remedy}`);
    this.explanation = { reason, remedy };
  }
}

/** True if a connection was refused for a lasting reason. */
function isRefusal(cause: unknown): boolean {
  return ['28000', '28P01', '3D000'].includes(errorCode(cause) ?? '');
}

/** Sentences without full stops: the reason why a database can't be used, and the remedy. */
export interface Explanation {
  readonly reason: string;
  readonly remedy: string;
}

export function explain(error: unknown): Explanation {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof UnsupportedServerError) return error.explanation;
  if (error instanceof NewerSchemaError) {
    return { reason, remedy: 'Install that version again, or use another database' };
  }
  if (error instanceof StoreUnavailableError) {
    const { cause } = error;
    // The message is empty if all addresses of a host name failed.
    const detail = cause instanceof Error && cause.message !== '' ? cause.message : reason;
    return { reason: detail, remedy: remedyOf(errorCode(cause)) };
  }
  if (reason.includes('pg_trgm')) {
    return {
      reason: `the search needs the extension pg_trgm (${reason})`,
      remedy:
        'Install the additional modules of PostgreSQL (the package postgresql-contrib of some systems), and run `create extension pg_trgm` in this database as its superuser',
    };
  }
  switch (errorCode(error)) {
    case '42501':
      return {
        reason: `its user lacks a right (${reason})`,
        remedy: 'Make the user its owner, or `grant create on schema public`',
      };
    case '53100':
      return { reason: `the disk of its server is full (${reason})`, remedy: 'Free some space' };
    default:
      return { reason, remedy: 'Check store.url' };
  }
}

function remedyOf(code: string | undefined): string {
  switch (code) {
    case '28000':
    case '28P01':
      return 'Check the user and the password in store.url, or in the variable PGPASSWORD';
    case '3D000':
      return 'Create it with `createdb`';
    case '25006':
      return 'Let store.url lead to the primary server';
    default:
      return 'Check that its server runs, and that store.url has its address';
  }
}
