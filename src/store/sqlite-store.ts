import { Kysely, sql } from 'kysely';
import type { Logger } from '../observability/logger.ts';
import { sqliteResultCode, sqliteResultCodes, type SqliteConnection } from '../sqlite.ts';
import { createBlobRepository } from './blob-repository.ts';
import { createConversationRepository } from './conversations/conversation-repository.ts';
import { createDownloadRepository } from './download-repository.ts';
import { migrate, NewerSchemaError } from './migrate.ts';
import { migrations } from './migrations/migrations.ts';
import { createResponseRepository } from './response-repository.ts';
import type { Schema } from './schema.ts';
import { openSqliteFile, SqliteConnectionDialect } from './sqlite-connection.ts';
import type { Store } from './store.ts';
import { createTokenRepository } from './token-repository.ts';

/** The database can't be used; the message names the file, the reason and the remedy. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

interface SqliteStoreOptions {
  /** Created if it doesn't exist; its folder must exist. */
  readonly file: string;
  readonly logger: Logger;
}

/**
 * Opens the SQLite database and brings its schema up to date.
 *
 * @throws StoreOpenError if the file can't be opened or written, is damaged, or is from a newer Hearth.
 */
export async function createSqliteStore({ file, logger }: SqliteStoreOptions): Promise<Store> {
  const database = await open(file, logger);
  return {
    responses: createResponseRepository(database, logger),
    conversations: createConversationRepository(database, logger),
    blobs: createBlobRepository(database),
    tokens: createTokenRepository(database),
    downloads: createDownloadRepository(database),
    ping: async () => {
      await sql`select 1`.execute(database);
    },
    close: () => database.destroy(),
  };
}

async function open(file: string, logger: Logger): Promise<Kysely<Schema>> {
  let connection: SqliteConnection | undefined;
  try {
    connection = openSqliteFile(file);
    const database = new Kysely<Schema>({ dialect: new SqliteConnectionDialect(connection) });
    const { from, to } = await migrate(database, { migrations, columnTypes: { bytes: 'blob' } });
    if (from !== to) logger.info({ file, from, to }, 'database schema migrated');
    return database;
  } catch (error) {
    if (connection?.isOpen) connection.close();
    throw new StoreOpenError(`The database ${file} can't be used: ${explain(error)}.`, {
      cause: error,
    });
  }
}

function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof NewerSchemaError) {
    return `${reason}. Install that version again, or start with another home folder`;
  }
  const code = sqliteResultCode(error);
  if (code === sqliteResultCodes.notADatabase || code === sqliteResultCodes.corrupt) {
    return `it is damaged (${reason}). Put a backup in its place, or move it away together with its -wal and -shm files to start with an empty one`;
  }
  return `${reason}. Check that its folder exists, may be written to and has room`;
}
