import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, SqliteDatabase, SqliteStatement } from 'kysely';
import type { SqliteConnection, SqliteValue } from '../platform/sqlite.ts';

const begin = CompiledQuery.raw('begin immediate');

/** A Kysely dialect for one open connection; `destroy` closes it. */
export class SqliteConnectionDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #onCommit: () => void;

  /** @param onCommit Called after each commit. */
  constructor(connection: SqliteConnection, onCommit: () => void = () => {}) {
    const database = {
      close: () => closeCheckpointed(connection),
      prepare: preparedStatements(connection),
    };
    super({ database });
    this.#database = database;
    this.#onCommit = onCommit;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#database, this.#onCommit);
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #onCommit: () => void;

  constructor(database: SqliteDatabase, onCommit: () => void) {
    super({ database });
    this.#onCommit = onCommit;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#onCommit();
  }

  /** Takes the write lock at the start: a transaction that reads first could not wait for the lock. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(begin);
  }

  /** After some errors, such as a full disk, SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

const maxCachedStatements = 100;

/**
 * Prepares each statement once, and returns it in the form of better-sqlite3, which Kysely expects. Caches the
 * `maxCachedStatements` most recently used ones.
 */
export function preparedStatements(connection: SqliteConnection): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  let isInside = false;
  return (sql) => {
    const { isTransaction } = connection;
    // If SQLite has rolled back by itself, the transaction's next statements would be committed one by one.
    if (isInside && !isTransaction && sql !== 'rollback') {
      throw new Error('The transaction was rolled back.');
    }
    isInside = isTransaction && sql !== 'commit' && sql !== 'rollback';
    const statement = statements.get(sql) ?? prepareStatement(connection, sql);
    statements.delete(sql);
    statements.set(sql, statement);
    if (statements.size > maxCachedStatements) {
      const [oldest = ''] = statements.keys();
      statements.delete(oldest);
    }
    return statement;
  };
}

function prepareStatement(connection: SqliteConnection, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqliteValue)),
    run: (parameters) => statement.run(...parameters.map(toSqliteValue)),
    // Not cached: another use of a cached statement would end the iteration.
    iterate: (parameters) => connection.prepare(sql).iterate(...parameters.map(toSqliteValue)),
  };
}

/** The bindings cut text at a NUL. Such text is bound as bytes instead, which match no stored text. */
function toSqliteValue(value: unknown): SqliteValue {
  if (typeof value === 'string' && value.includes('\0')) return Buffer.from(value);
  return value as SqliteValue;
}

/**
 * @photostructure/sqlite 1 keeps a closed file open, without the final checkpoint, until its statements are
 *   garbage-collected.
 */
function closeCheckpointed(connection: SqliteConnection): void {
  if (!connection.isOpen) return;
  connection.exec('pragma wal_checkpoint(passive)');
  // Deleted texts would stay readable in the log. Does not wait for other processes that use the log.
  connection.exec('pragma busy_timeout = 0');
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
}
