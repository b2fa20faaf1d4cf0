import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

type Work<Result> = (transaction: Transaction<Schema>) => Promise<Result>;

/** How the repositories write. */
export interface Transactions {
  /**
   * Runs work that only adds rows: other such transactions may run at the same time.
   *
   * @param findResult The result if the transaction was committed. Called where the connection was lost before the
   *   database confirmed the commit.
   */
  add<Result>(work: Work<Result>, findResult?: () => Promise<Result | undefined>): Promise<Result>;
  /** Runs work that reads what it changes or removes: no other transaction of a repository runs at the same time. */
  change<Result>(work: Work<Result>): Promise<Result>;
}

/** For a database that runs one transaction at a time. */
export function serialTransactions(database: Kysely<Schema>): Transactions {
  const run = <Result>(work: Work<Result>) => database.transaction().execute(work);
  return { add: run, change: run };
}
