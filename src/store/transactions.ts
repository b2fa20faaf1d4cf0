import { Kysely, type Transaction } from 'kysely';
import type { Logger } from '../kernel/logger.ts';
import type { Schema } from './schema.ts';
import { type StatementThread, ThreadDialect } from './statement-thread.ts';

type Work<Result> = (transaction: Transaction<Schema>) => Promise<Result>;

export interface AddOptions<Result> {
  /**
   * Checks whether the transaction was committed, and returns its result if so. Called if the connection was lost
   * before the database confirmed the commit.
   */
  readonly findResult?: () => Promise<Result | undefined>;
  /** True if some of the statements may take long. */
  readonly isLong?: boolean;
}

/** The ways in which repositories write, and run long reads. */
export interface Transactions {
  /** Runs work that only adds rows: other such transactions may run at the same time. */
  add<Result>(work: Work<Result>, options?: AddOptions<Result>): Promise<Result>;
  /** Runs work that reads what it changes or removes: no other transaction of a repository runs at the same time. */
  change<Result>(work: Work<Result>): Promise<Result>;
  /** Like `change`, for work that may take long, such as a deletion. */
  changeLong<Result>(work: Work<Result>): Promise<Result>;
  /** Runs queries that may take long, such as a search. */
  readLong<Result>(work: (database: Kysely<Schema>) => Promise<Result>): Promise<Result>;
}

/** For a database that runs one transaction at a time. */
export function serialTransactions(database: Kysely<Schema>): Transactions {
  const run = <Result>(work: Work<Result>) => database.transaction().execute(work);
  return { add: run, change: run, changeLong: run, readLong: (work) => work(database) };
}

interface ThreadTransactionsOptions {
  readonly database: Kysely<Schema>;
  readonly thread: StatementThread;
  /** Called after each transaction of the thread. */
  readonly onCommit: () => void;
  readonly logger: Logger;
}

/**
 * Runs long work in a thread, whose statements do not block the event loop. Holds this thread's connection meanwhile: a
 * statement on it would wait for the worker's lock and block the event loop.
 */
export function threadTransactions({
  database,
  thread,
  onCommit,
  logger,
}: ThreadTransactionsOptions): Transactions {
  const here = serialTransactions(database);
  const inThread = new Kysely<Schema>({ dialect: new ThreadDialect(thread, onCommit) });
  let hasThread = true;

  async function canStart(): Promise<boolean> {
    if (!hasThread) return false;
    try {
      await thread.run('select 1');
    } catch (err) {
      hasThread = false;
      logger.warn(
        { err },
        'the thread of the database failed; deletions and searches delay other work',
      );
    }
    return hasThread;
  }

  const readLong: Transactions['readLong'] = (work) =>
    thread.hold(async () =>
      (await canStart()) ? database.connection().execute(() => work(inThread)) : work(database),
    );
  const changeLong: Transactions['changeLong'] = (work) =>
    readLong((chosen) => chosen.transaction().execute(work));

  return {
    ...here,
    add: (work, options) => (options?.isLong === true ? changeLong(work) : here.add(work)),
    changeLong,
    readLong,
  };
}
