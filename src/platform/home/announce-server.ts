import { removeOwnerToken, writeOwnerToken } from './owner-token.ts';
import { removeServerRecord, writeServerRecord, type ServerRecord } from './server-record.ts';

interface Announcement {
  readonly home: string;
  /** Where all users of the machine find the record; undefined if they don't. */
  readonly recordFolder: string | undefined;
  readonly ownerToken: string;
  readonly record: () => ServerRecord;
  /** Receives how each step is undone, before it is made. */
  readonly cleanups: (() => unknown)[];
  /** Called if the record for all users could not be written. */
  readonly onShareError: (error: unknown) => void;
}

/**
 * Writes the files by which commands find the server.
 *
 * @returns Writes the record again, after it has changed.
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
