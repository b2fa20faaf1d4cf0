import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, SqliteDatabase } from 'kysely';
import { closeSync, openSync } from 'node:fs';
import {
  openSqlite,
  type SqliteConnection,
  type SqliteStatement,
  type SqliteValue,
} from '../sqlite.ts';

/** How long a write waits for another process, such as the command-line tool; it blocks this one. */
const lockWaitMs = 2000;

const maxCachedStatements = 100;

/** Opens a SQLite file, made readable for its owner alone where it is new. */
export function openSqliteFile(file: string): SqliteConnection {
  closeSync(openSync(file, 'a', 0o600));
  const connection = openSqlite(file, { lockWaitMs });
  try {
    connection.exec('pragma journal_mode = wal');
    // docs/adr/0003: a commit outlives this process at once, and a loss of power soon after.
    connection.exec('pragma synchronous = normal');
    connection.exec('pragma foreign_keys = on');
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Kysely on one open connection; closing Kysely closes it. */
export class SqliteConnectionDialect extends SqliteDialect {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super({ database: toKyselyDatabase(connection) });
    this.#connection = connection;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#connection);
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super({ database: toKyselyDatabase(connection) });
    this.#connection = connection;
  }

  /** Takes the write lock at the start: a transaction that reads first could not wait for it later. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** After some errors, a full disk among them, SQLite has rolled back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Kysely's SQLite driver expects the interface of better-sqlite3. */
function toKyselyDatabase(connection: SqliteConnection): SqliteDatabase {
  const prepare = statementCache(connection);
  return {
    close: () => closeCheckpointed(connection),
    prepare: (sql) => {
      const statement = prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters.map(toSqliteValue)),
        run: (parameters) => statement.run(...parameters.map(toSqliteValue)),
        // A new statement: the next use of a cached one would end the iteration.
        iterate: (parameters) => connection.prepare(sql).iterate(...parameters.map(toSqliteValue)),
      };
    },
  };
}

/** Prepares each statement once; keeps the `maxCachedStatements` that were used last. */
function statementCache(connection: SqliteConnection): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > maxCachedStatements && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
}

/** @photostructure/sqlite 1 keeps the file open, without the final checkpoint, until its statements are collected. */
function closeCheckpointed(connection: SqliteConnection): void {
  if (!connection.isOpen) return;
  connection.exec('pragma wal_checkpoint(passive)');
  connection.close();
}

/** The bindings cut a text at a NUL. Its bytes stay whole, and a lookup by it finds nothing. */
function toSqliteValue(value: unknown): SqliteValue {
  if (typeof value === 'string' && value.includes('\0')) return Buffer.from(value);
  return value as SqliteValue;
}
