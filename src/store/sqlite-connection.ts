import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, SqliteDatabase } from 'kysely';
import { closeSync, openSync, statfsSync } from 'node:fs';
import { chooseJournal, networkFileSystem } from './network-file-system.ts';
import {
  openSqlite,
  type SqliteConnection,
  type SqliteStatement,
  type SqliteValue,
} from '../sqlite.ts';

/** How long a write waits for the lock of another process. It blocks this process. */
const lockWaitMs = 2000;

const maxCachedStatements = 100;

/** What differs from a local disk, in words for the log. */
export type ReportFileSystem = (message: string) => void;

/** Opens a SQLite file, and restricts a new file to its owner. */
export function openSqliteFile(
  file: string,
  report: ReportFileSystem = () => {},
): SqliteConnection {
  closeSync(openSync(file, 'a', 0o600));
  const connection = openSqlite(file, { lockWaitMs });
  try {
    // Of a new file; the file then shrinks after deletions. It has to come before the journal.
    connection.exec('pragma auto_vacuum = incremental');
    setJournal(connection, file, report);
    connection.exec('pragma foreign_keys = on');
    // Overwrites deleted text where that takes no additional write.
    connection.exec('pragma secure_delete = fast');
    // macOS: fsync alone does not reach the disk.
    connection.exec('pragma checkpoint_fullfsync = on');
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

function setJournal(connection: SqliteConnection, file: string, report: ReportFileSystem): void {
  const network = networkFileSystem(process.platform, fileSystemType(file));
  const { journal, synchronous } = chooseJournal(network);
  const { journal_mode: mode } = connection.prepare(`pragma journal_mode = ${journal}`).get() as {
    readonly journal_mode: string;
  };
  // docs/adr/0003: a commit survives a crash of this process at once, and a power failure shortly after.
  // A file system without shared memory keeps another journal, which needs more.
  connection.exec(`pragma synchronous = ${mode === 'wal' ? synchronous : 'full'}`);
  if (network !== undefined) {
    report(
      `the database is on a network file system (${network}): each commit waits for it, and only one machine may use the home folder`,
    );
  } else if (mode !== 'wal') {
    report(
      `the file system of the database does not support WAL (${mode}): each commit waits for the disk`,
    );
  }
}

/** 0 if it is unknown. */
function fileSystemType(file: string): number {
  try {
    return statfsSync(file).type;
  } catch {
    return 0;
  }
}

/** A Kysely dialect for one open connection; `destroy` closes it. */
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
  const prepare = statementCache(connection);
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

/** Prepares each statement once; caches the `maxCachedStatements` most recently used. */
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

/** The bindings truncate text at a NUL. Binding its bytes instead makes such a lookup find nothing. */
function toSqliteValue(value: unknown): SqliteValue {
  if (typeof value === 'string' && value.includes('\0')) return Buffer.from(value);
  return value as SqliteValue;
}
