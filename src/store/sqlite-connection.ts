import SqliteDatabase, { type Database } from 'better-sqlite3';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection } from 'kysely';
import { closeSync, openSync } from 'node:fs';

/** How long a write waits for another process, such as the command-line tool; it blocks this one. */
const lockWaitMs = 2000;

/** Opens a SQLite file, made readable for its owner alone where it is new. */
export function openSqliteFile(file: string): Database {
  closeSync(openSync(file, 'a', 0o600));
  const connection = new SqliteDatabase(file, { timeout: lockWaitMs });
  try {
    connection.pragma('journal_mode = WAL');
    // docs/adr/0003: a commit outlives this process at once, and a loss of power soon after.
    connection.pragma('synchronous = NORMAL');
    connection.pragma('foreign_keys = ON');
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Kysely on one open connection; closing Kysely closes it. */
export class SqliteConnectionDialect extends SqliteDialect {
  readonly #connection: Database;

  constructor(connection: Database) {
    super({ database: connection });
    this.#connection = connection;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#connection);
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #connection: Database;

  constructor(connection: Database) {
    super({ database: connection });
    this.#connection = connection;
  }

  /** Takes the write lock at the start: a transaction that reads first could not wait for it later. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** After some errors, a full disk among them, SQLite has rolled back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection);
  }
}
