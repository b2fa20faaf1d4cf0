import { sql } from 'kysely';
import { createLogger } from '../../observability/logger.ts';
import { serverTimeouts } from './connection-pool.ts';
import { postgresMigrations } from './migrations/migrations.ts';
import {
  assertSupported,
  createPostgresDatabase,
  explain,
  readSchemaVersion,
  readServer,
} from './open-database.ts';

/** The state of a database, which the inspection does not change. */
export interface PostgresState {
  /** Such as 15 for 15.4. */
  readonly majorVersion: number;
  readonly isReadOnly: boolean;
  /** 0 before the first start. */
  readonly schema: number;
  readonly newestSchema: number;
  readonly sizeBytes: number;
}

/**
 * Connects and reads what `hearth doctor` shows.
 *
 * @throws Error with the reason and the remedy, without the URL.
 */
export async function inspectPostgres(url: string): Promise<PostgresState> {
  const database = createPostgresDatabase({
    url,
    logger: createLogger('silent'),
    maxConnections: 1,
    timeouts: serverTimeouts,
  });
  try {
    const server = await readServer(database);
    assertSupported(server);
    const { rows } = await sql<{
      readonly is_read_only: string;
      readonly size: number;
    }>`select current_setting('transaction_read_only') as is_read_only,
      pg_database_size(current_database()) as size`.execute(database);
    const [state] = rows;
    return {
      majorVersion: Math.floor(server.version / 10_000),
      isReadOnly: state?.is_read_only === 'on',
      schema: await readSchemaVersion(database),
      newestSchema: postgresMigrations.length,
      sizeBytes: state?.size ?? 0,
    };
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  } finally {
    await database.destroy();
  }
}
