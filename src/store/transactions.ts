import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

type Work<Result> = (transaction: Transaction<Schema>) => Promise<Result>;

export interface AddOptions<Result> {
  /**
   * The result if the transaction was committed. Called if the connection was lost before the database confirmed the
   * commit.
   */
  readonly findResult?: () => Promise<Result | undefined>;
  /** True if some of its statements may take long. */
  readonly isLong?: boolean;
}

/** How the repositories write, and read at length. */
export interface Transactions {
  /** Runs work that only adds rows: other such transactions may run at the same time. */
  add<Result>(work: Work<Result>, options?: AddOptions<Result>): Promise<Result>;
  /** Runs work that reads what it changes or removes: no other transaction of a repository runs at the same time. */
  change<Result>(work: Work<Result>): Promise<Result>;
  /** As `change`, for work that may take long, such as a deletion. */
  changeLong<Result>(work: Work<Result>): Promise<Result>;
  /** Runs queries that may take long, such as a search. */
  readLong<Result>(work: (database: Kysely<Schema>) => Promise<Result>): Promise<Result>;
}

/** For a database that runs one transaction at a time. */
export function serialTransactions(database: Kysely<Schema>): Transactions {
  const run = <Result>(work: Work<Result>) => database.transaction().execute(work);
  return { add: run, change: run, changeLong: run, readLong: (work) => work(database) };
}
