import { createRequire } from 'node:module';

export type SqliteValue = null | number | bigint | string | Uint8Array;

/** The part of a `node:sqlite` statement that Hearth uses. Parameters are positional. */
export interface SqliteStatement {
  /** One entry per column of the result; empty for a statement that returns no rows. */
  columns(): readonly unknown[];
  all(...parameters: readonly SqliteValue[]): unknown[];
  get(...parameters: readonly SqliteValue[]): unknown;
  iterate(...parameters: readonly SqliteValue[]): IterableIterator<unknown>;
  run(...parameters: readonly SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

/** The part of a `node:sqlite` connection that Hearth uses. Every call blocks the thread. */
export interface SqliteConnection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Throws if the connection is already closed. */
  close(): void;
}

interface SqliteOptions {
  /** Time that a statement waits for another connection's lock. */
  readonly lockWaitMs?: number;
  readonly isReadOnly?: boolean;
}

interface SqliteBinding {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly timeout: number; readonly readOnly: boolean },
  ) => SqliteConnection;
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html). */
export const sqliteResultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

const codesByMessage: Readonly<Record<string, number>> = {
  'database is locked': sqliteResultCodes.busy,
  'database table is locked': sqliteResultCodes.locked,
  'attempt to write a readonly database': sqliteResultCodes.readOnly,
  'disk I/O error': sqliteResultCodes.inputOutput,
  'unable to open database file': sqliteResultCodes.cannotOpen,
  'database disk image is malformed': sqliteResultCodes.corrupt,
  'database or disk is full': sqliteResultCodes.full,
  'file is not a database': sqliteResultCodes.notADatabase,
};

let binding: SqliteBinding | undefined;

/** Opens a SQLite file; creates it if it does not exist. See docs/adr/0008 for the two bindings. */
export function openSqlite(file: string, options: SqliteOptions = {}): SqliteConnection {
  binding ??= builtInSqlite() ?? packagedSqlite();
  return new binding.DatabaseSync(file, {
    timeout: options.lockWaitMs ?? 0,
    readOnly: options.isReadOnly ?? false,
  });
}

/** The primary result code of an SQLite error; undefined for other errors. */
export function sqliteResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // The low byte of an extended result code is its primary code.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  // @photostructure/sqlite 1 omits the code of errors in `all()`; the message identifies it.
  return codesByMessage[error.message];
}

/** Node's own SQLite, if its version has the fix of the WAL-reset bug; older versions can damage a database. */
function builtInSqlite(): SqliteBinding | undefined {
  if (!isAtLeast(process.versions.sqlite, [3, 51, 3])) return undefined;
  // On load, Node 22 warns that node:sqlite is experimental. Users can do nothing about it.
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as SqliteBinding | undefined;
  } finally {
    if (emitWarning !== undefined) Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}

/** The port of node:sqlite to Node-API, for Node 20 and early releases of 22 and 24. */
function packagedSqlite(): SqliteBinding {
  return createRequire(import.meta.url)('@photostructure/sqlite') as SqliteBinding;
}

function isAtLeast(version: string | undefined, minimum: readonly number[]): boolean {
  if (version === undefined) return false;
  const parts = version.split('.').map(Number);
  const index = minimum.findIndex((part, position) => parts[position] !== part);
  return index === -1 || (parts[index] ?? 0) > (minimum[index] ?? 0);
}
