import { sql } from 'kysely';
import type { Logger } from '../../kernel/logger.ts';
import { serverTimeouts } from './connection-pool.ts';
import { readSchemaVersion } from '../migrate.ts';
import { postgresSchema } from './postgres-dialect.ts';
import {
  assertSupported,
  createPostgresDatabase,
  explain,
  isReadOnly,
  readServer,
  type Explanation,
} from './open-database.ts';

/** Facts about a database, read without changing it. */
export interface PostgresState {
  /** Major version of the server, such as 15 for 15.4. */
  readonly majorVersion: number;
  readonly isReadOnly: boolean;
  /** Version of the schema; 0 before the first start. */
  readonly schema: number;
  readonly newestSchema: number;
  readonly sizeBytes: number;
}

/** Connects and reads the facts for `hearth doctor`, or explains why the database can't be used. */
export async function inspectPostgres(
  url: string,
  logger: Logger,
): Promise<PostgresState | Explanation> {
  const database = createPostgresDatabase({
    url,
    logger,
    maxConnections: 1,
    timeouts: serverTimeouts,
  });
  try {
    const server = await readServer(database);
    assertSupported(server);
    const { rows } = await sql<{
      readonly size: number;
    }>`select pg_database_size(current_database()) as size`.execute(database);
    return {
      majorVersion: Math.floor(server.version / 10_000),
      isReadOnly: await isReadOnly(database),
      schema: await readSchemaVersion(database, postgresSchema),
      newestSchema: postgresSchema.version,
      sizeBytes: rows[0]?.size ?? 0,
    };
  } catch (error) {
    return explain(error);
  } finally {
    await database.destroy();
  }
}
