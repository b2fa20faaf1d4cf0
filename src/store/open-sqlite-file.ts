import { closeSync, openSync, statfsSync } from 'node:fs';
import { openSqlite, type SqliteConnection } from '../platform/sqlite.ts';
import { chooseJournal, networkFileSystem } from './network-file-system.ts';

/** Maximum wait of a write for another process's lock. It blocks this process. */
const lockWaitMs = 2000;

/**
 * Size to which SQLite cuts the log file after a long transaction, such as a migration: several times its usual size.
 */
const maxKeptLogBytes = 16 * 1024 * 1024;

/** Logs a message if the file is not on a local disk. */
type ReportFileSystem = (message: string) => void;

/** Opens a SQLite file, and restricts a new file to its owner. */
export function openSqliteFile(
  file: string,
  report: ReportFileSystem = () => {},
): SqliteConnection {
  closeSync(openSync(file, 'a', 0o600));
  return open(file, (connection) => {
    // Lets a new file shrink after deletions. Must come before the journal mode.
    connection.exec('pragma auto_vacuum = incremental');
    configure(connection, file, report);
  });
}

/**
 * Opens another connection to a SQLite file that this process has open. Opening and closing the file by other means
 * would release the locks of all its connections (fcntl(2) on POSIX locks).
 */
export function openAnotherConnection(file: string): SqliteConnection {
  return open(file, (connection) => {
    configure(connection, file, () => {});
    // Only the worker thread sets the limit, since a commit that truncates hundreds of megabytes waits for the disk.
    connection.exec(`pragma journal_size_limit = ${maxKeptLogBytes}`);
  });
}

function open(file: string, prepare: (connection: SqliteConnection) => void): SqliteConnection {
  const connection = openSqlite(file, { lockWaitMs });
  try {
    prepare(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

function configure(connection: SqliteConnection, file: string, report: ReportFileSystem): void {
  setJournal(connection, file, report);
  connection.exec('pragma foreign_keys = on');
  // Overwrites deleted text if that takes no additional write.
  connection.exec('pragma secure_delete = fast');
  // macOS: fsync alone does not reach the disk.
  connection.exec('pragma checkpoint_fullfsync = on');
}

function setJournal(connection: SqliteConnection, file: string, report: ReportFileSystem): void {
  const network = networkFileSystem(process.platform, fileSystemType(file));
  const { journal, synchronous } = chooseJournal(network);
  const { journal_mode: mode } = connection.prepare(`pragma journal_mode = ${journal}`).get() as {
    readonly journal_mode: string;
  };
  // docs/adr/0003: a commit survives a crash of this process at once, and a power failure shortly after.
  // A file system without shared memory uses another journal, which needs `full`.
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
