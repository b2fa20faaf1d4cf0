import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, SqliteDatabase } from 'kysely';
import type { SqliteConnection } from '../platform/sqlite.ts';
import { preparedStatements, toSqliteValue } from './open-sqlite-file.ts';

/** A Kysely dialect for one open connection; `destroy` closes it. */
export class SqliteConnectionDialect extends SqliteDialect {
  readonly #connection: SqliteConnection;
  readonly #onCommit: () => void;

  /** @param onCommit Called after each commit. */
  constructor(connection: SqliteConnection, onCommit: () => void = () => {}) {
    super({ database: toKyselyDatabase(connection) });
    this.#connection = connection;
    this.#onCommit = onCommit;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#connection, this.#onCommit);
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;
  readonly #onCommit: () => void;

  constructor(connection: SqliteConnection, onCommit: () => void) {
    super({ database: toKyselyDatabase(connection) });
    this.#connection = connection;
    this.#onCommit = onCommit;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#onCommit();
  }

  /** Takes the write lock at the start: a transaction that reads first could not wait for the lock later. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** SQLite rolls back by itself after some errors, such as a full disk. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Kysely's SQLite driver expects the interface of better-sqlite3. */
function toKyselyDatabase(connection: SqliteConnection): SqliteDatabase {
  const prepare = preparedStatements(connection);
  return {
    close: () => closeCheckpointed(connection),
    prepare: (sql) => {
      const statement = prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters.map(toSqliteValue)),
        run: (parameters) => statement.run(...parameters.map(toSqliteValue)),
        // Not cached: the next use of a cached statement would end the iteration.
        iterate: (parameters) => connection.prepare(sql).iterate(...parameters.map(toSqliteValue)),
      };
    },
  };
}

/** @photostructure/sqlite 1 keeps the file open, without the final checkpoint, until its statements are collected. */
function closeCheckpointed(connection: SqliteConnection): void {
  if (!connection.isOpen) return;
  connection.exec('pragma wal_checkpoint(passive)');
  // Deleted texts would stay readable in the log. Unless another process uses it, which is not waited for.
  connection.exec('pragma busy_timeout = 0');
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
}
