import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { Schema } from '../schema.ts';
import type { AddOptions, Transactions } from '../transactions.ts';
import { StoreUnavailableError } from './failure.ts';

/**
 * First key of Hearth's advisory locks (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS).
 */
const lockSpace = 0x68_65_61_72;
const locks = { rows: 1, migration: 2 } as const;

const lock = (name: keyof typeof locks, suffix: '' | '_shared' = ''): string =>
  `select pg_advisory_xact_lock${suffix}(${lockSpace}, ${locks[name]})`;

/** A migration's transaction holds it until its end. */
export const migrationLock = lock('migration');

/** First statements of a transaction by isolation level, including its lock. */
const beginnings = new Map([
  ['read committed', `begin; ${lock('rows', '_shared')}`],
  ['serializable', `begin; ${lock('rows')}`],
]);

/**
 * `read committed` transactions share a lock that a `serializable` one holds alone. So a serializable transaction runs
 * as if no other did, and never fails because of another.
 */
export class LockingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new LockingPostgresDriver(this.#config);
  }
}

/**
 * Sends the first statement of a transaction together with its beginning. If the beginning fails, so does the
 * statement.
 */
class LockingPostgresDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<unknown>>();

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const beginning = beginnings.get(settings.isolationLevel ?? '');
    if (beginning === undefined) return super.beginTransaction(connection, settings);
    const begun = connection.executeQuery(CompiledQuery.raw(beginning));
    begun.catch(() => {});
    this.#begun.set(connection, begun);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#begun.get(connection);
    await super.commitTransaction(connection);
  }
}

const firstDelayMs = 100;
const maxDelayMs = 2000;

/**
 * Transactions that add rows run concurrently; one that changes rows runs alone. If a transaction that adds rows loses
 * its connection, it is repeated.
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
        // Tells other processes to invalidate their caches.
        await transaction
          .updateTable('deletions')
          .set(({ eb }) => ({ deletion_count: eb('deletion_count', '+', 1) }))
          .execute();
        return result;
      });
  return { add, change, changeLong: change, readLong: (work) => work(database) };
}
