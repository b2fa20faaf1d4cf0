import { removeOwnerToken, writeOwnerToken } from './owner-token.ts';
import { removeServerRecord, writeServerRecord, type ServerRecord } from './server-record.ts';

interface Announcement {
  readonly home: string;
  /** Folder in which all users of the machine find the record; undefined if the server is not shared. */
  readonly recordFolder: string | undefined;
  readonly ownerToken: string;
  readonly record: () => ServerRecord;
  /** Receives the undo function of each step, before the step. */
  readonly cleanups: (() => unknown)[];
  /** Called if the record for all users could not be written. */
  readonly onShareError: (error: unknown) => void;
}

/**
 * Writes the files by which commands find the server.
 *
 * @returns A function that writes the record again after a change.
 */
export async function announceServer({
  home,
  recordFolder,
  ownerToken,
  record,
  cleanups,
  onShareError,
}: Announcement): Promise<() => Promise<void>> {
  const writeRecords = async (): Promise<void> => {
    await writeServerRecord(home, record());
    if (recordFolder === undefined) return;
    await writeServerRecord(recordFolder, record(), 0o644).catch(onShareError);
  };
  cleanups.push(() => removeOwnerToken(home));
  await writeOwnerToken(home, ownerToken);
  cleanups.push(() => removeServerRecord(home));
  if (recordFolder !== undefined) cleanups.push(() => removeServerRecord(recordFolder));
  await writeRecords();
  return writeRecords;
}
