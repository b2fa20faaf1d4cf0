import { sqliteResultCode, sqliteResultCodes } from '../sqlite.ts';

const reasons = new Map<number, string>([
  [sqliteResultCodes.full, 'the disk is full'],
  [sqliteResultCodes.readOnly, 'the database, or the file system that it is on, is read-only'],
  [sqliteResultCodes.inputOutput, 'the disk reported an error (I/O error)'],
  [sqliteResultCodes.corrupt, 'the database is damaged'],
  [sqliteResultCodes.notADatabase, 'the database is damaged'],
  [sqliteResultCodes.cannotOpen, 'the database file can not be opened'],
  [sqliteResultCodes.busy, 'another process has locked the database'],
]);

/** The reason of a failed read or write of the database, in words; undefined for other errors. */
export function describeStoreError(error: unknown): string | undefined {
  const code = sqliteResultCode(error);
  return code === undefined ? undefined : reasons.get(code);
}
