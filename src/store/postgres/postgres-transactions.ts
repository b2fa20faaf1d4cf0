import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { AddOptions, Transactions } from '../transactions.ts';
import { StoreUnavailableError } from './failure.ts';

const firstDelayMs = 100;
const maxDelayMs = 2000;

/**
 * Transactions that add rows run at the same time; those that change rows run alone. A transaction that adds rows and
 * fails with its connection is repeated.
 *
 * @param retryMs Time after which it is no longer repeated.
 */
export function createPostgresTransactions(
  database: Kysely<Schema>,
  retryMs: number,
): Transactions {
  async function add<Result>(
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    { findResult }: AddOptions<Result> = {},
  ): Promise<Result> {
    const until = performance.now() + retryMs;
    let mayBeCommitted = false;
    for (let waitMs = firstDelayMs; ; waitMs = Math.min(2 * waitMs, maxDelayMs)) {
      try {
        const found = mayBeCommitted ? await findResult?.() : undefined;
        if (found !== undefined) return found;
        return await database.transaction().setIsolationLevel('read committed').execute(work);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        mayBeCommitted ||= error.isCommitUnknown;
        if (mayBeCommitted && findResult === undefined) throw error;
        if (performance.now() + waitMs > until) throw error;
      }
      await delay(waitMs);
    }
  }
  const change: Transactions['change'] = (work) =>
    database
      .transaction()
      .setIsolationLevel('serializable')
      .execute(async (transaction) => {
        const result = await work(transaction);
        // Other processes forget what they have read.
        await transaction
          .updateTable('deletions')
          .set(({ eb }) => ({ deletion_count: eb('deletion_count', '+', 1) }))
          .execute();
        return result;
      });
  return { add, change, changeLong: change, readLong: (work) => work(database) };
}
