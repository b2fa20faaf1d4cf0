import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Transactions } from '../transactions.ts';
import { StoreUnavailableError } from './failure.ts';

/** Advisory locks of Hearth (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). */
const lockSpace = 0x68_65_61_72;
const locks = { rows: 1, migration: 2 } as const;

const firstDelayMs = 100;
const maxDelayMs = 2000;

/** Held by a transaction that migrates, until its end. */
export async function lockForMigration(transaction: Transaction<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, ${sql.lit(locks.migration)})`.execute(
    transaction,
  );
}

/**
 * Transactions that add rows share a lock, so that they run at the same time; those that change rows hold it alone, as
 * if they ran one after the other. A transaction that failed with its connection is repeated.
 *
 * @param retryMs Time after which a transaction that adds rows is no longer repeated.
 */
export function createPostgresTransactions(
  database: Kysely<Schema>,
  retryMs: number,
): Transactions {
  async function add<Result>(
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    findResult?: () => Promise<Result | undefined>,
  ): Promise<Result> {
    const until = performance.now() + retryMs;
    let mayBeCommitted = false;
    for (let waitMs = firstDelayMs; ; waitMs = Math.min(2 * waitMs, maxDelayMs)) {
      try {
        const found = mayBeCommitted ? await findResult?.() : undefined;
        if (found !== undefined) return found;
        return await inTransaction(database, 'shared', work);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        mayBeCommitted ||= error.isCommitUnknown;
        if (mayBeCommitted && findResult === undefined) throw error;
        if (performance.now() + waitMs > until) throw error;
      }
      await delay(waitMs);
    }
  }
  return { add, change: (work) => inTransaction(database, 'exclusive', work) };
}

function inTransaction<Result>(
  database: Kysely<Schema>,
  mode: 'shared' | 'exclusive',
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  const name = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return database.transaction().execute(async (transaction) => {
    await sql`select ${sql.raw(name)}(${sql.lit(lockSpace)}, ${sql.lit(locks.rows)})`.execute(
      transaction,
    );
    return work(transaction);
  });
}
