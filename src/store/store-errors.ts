import { errorCode } from '../kernel/error-code.ts';
import { sqliteResultCode, sqliteResultCodes } from '../platform/sqlite.ts';

/** The database can't be used; the message names it, the reason and the remedy. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  /** True if a restart does not help: the database is damaged, or a newer version wrote it. */
  readonly isPermanent: boolean;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly isPermanent?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.isPermanent = options.isPermanent ?? false;
  }
}

const reasons = new Map<number, string>([
  [sqliteResultCodes.full, 'the disk is full'],
  [sqliteResultCodes.readOnly, 'the database, or the file system that it is on, is read-only'],
  [sqliteResultCodes.inputOutput, 'the disk reported an error (I/O error)'],
  [sqliteResultCodes.corrupt, 'the database is damaged'],
  [sqliteResultCodes.notADatabase, 'the database is damaged'],
  [sqliteResultCodes.cannotOpen, 'the database file cannot be opened'],
  [sqliteResultCodes.busy, 'another process has locked the database'],
]);

/** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const diskFullState = '53100';
const stateReasons = new Map<string, string>([
  [diskFullState, 'the disk of the database is full'],
  ['42501', 'the user of the database lacks a right'],
  ['42P01', 'a table of the database is missing'],
  ['58030', 'the disk of the database reported an error (I/O error)'],
  ['XX001', 'the database is damaged'],
  ['XX002', 'an index of the database is damaged'],
]);

/** Describes why a read or write of the database failed; undefined for other errors. */
export function describeStoreError(error: unknown): string | undefined {
  const code = sqliteResultCode(error);
  return code === undefined ? stateReasons.get(errorCode(error) ?? '') : reasons.get(code);
}

export function isDiskFull(error: unknown): boolean {
  return sqliteResultCode(error) === sqliteResultCodes.full || errorCode(error) === diskFullState;
}
