import type { Logger } from '../kernel/logger.ts';
import { sqliteResultCode, sqliteResultCodes, type SqliteConnection } from '../platform/sqlite.ts';
import type { StatementThread } from './statement-thread.ts';

/** Delay between a commit and the work after it. */
const delayMs = 100;
/** Commits between two merges; each may have added a part to the search index. */
const commitsPerMerge = 16;
/** Pages of the log that are not in the file yet: SQLite's own default. */
const maxLogPages = 1000;
/** Beyond this size, SQLite copies the log within a commit, which keeps the log from growing without limit. */
const lastResortLogPages = 16_384;

interface WorkAfterCommits {
  readonly thread: Pick<StatementThread, 'run'>;
  /** Merges parts of the search index as long as there are many. */
  readonly mergeIndex: (signal: AbortSignal) => Promise<void>;
}

/**
 * By default SQLite merges the search index within commits, copies the log of changes (WAL) into the file and waits for
 * the disk, all of which blocks the event loop. Here a thread does it soon after the commits.
 */
export class AfterCommits {
  /** True if commits of this or an earlier process may have left parts of the search index to merge. */
  hasUnmerged = true;
  readonly #connection: SqliteConnection;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #work: WorkAfterCommits | undefined;
  /** Commits since the last merge. */
  #commits = 0;
  #hasNewCommit = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(connection: SqliteConnection, logger: Logger) {
    this.#connection = connection;
    this.#logger = logger;
  }

  /** Starts the work; until then SQLite does it within commits. */
  start(work: WorkAfterCommits): void {
    this.#work = work;
    setAutomaticCopy(this.#connection, lastResortLogPages);
  }

  readonly noteCommit = (): void => {
    this.hasUnmerged = true;
    this.#commits += 1;
    this.#hasNewCommit = true;
    this.#schedule();
  };

  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    const work = this.#work;
    if (work === undefined || this.#timer !== undefined || this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run(work);
    }, delayMs).unref();
  }

  async #run({ thread, mergeIndex }: WorkAfterCommits): Promise<void> {
    const { signal } = this.#stopping;
    this.#hasNewCommit = false;
    try {
      if (this.#commits >= commitsPerMerge) {
        this.#commits = 0;
        await mergeIndex(signal);
      }
      // A passive checkpoint waits for no other connection, and no other connection waits for it.
      if (logPages(this.#connection) >= maxLogPages)
        await thread.run('pragma wal_checkpoint(passive)');
    } catch (err) {
      // The next commit tries again.
      if (signal.aborted || isInUse(err)) return;
      this.#logger.warn({ err }, 'the thread of the database failed; commits take longer');
      setAutomaticCopy(this.#connection, maxLogPages);
      this.#stopping.abort();
    } finally {
      this.#timer = undefined;
      if (this.#hasNewCommit) this.#schedule();
    }
  }
}

/** True if another process is writing, or the connection has an open transaction. */
function isInUse(error: unknown): boolean {
  const code = sqliteResultCode(error);
  return code === sqliteResultCodes.busy || code === sqliteResultCodes.locked;
}

/** Pages of the log that are not in the file yet. */
function logPages(connection: SqliteConnection): number {
  const { log, checkpointed } = connection.prepare('pragma wal_checkpoint(noop)').get() as {
    readonly log: number;
    readonly checkpointed: number;
  };
  return log - checkpointed;
}

function setAutomaticCopy(connection: SqliteConnection, pages: number): void {
  connection.exec(`pragma wal_autocheckpoint = ${pages}`);
}
