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

/** Advisory locks of Hearth (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). */
const lockSpace = 0x68_65_61_72;
const locks = { rows: 1, migration: 2 } as const;

const lock = (name: keyof typeof locks, suffix: '' | '_shared' = ''): string =>
  `select pg_advisory_xact_lock${suffix}(${lockSpace}, ${locks[name]})`;

/** Held by a transaction that migrates, until its end. */
export const migrationLock = lock('migration');

/** How a transaction begins, by its isolation level: with its lock. */
const beginnings = new Map([
  ['read committed', `begin; ${lock('rows', '_shared')}`],
  ['serializable', `begin; ${lock('rows')}`],
]);

/**
 * Transactions that are `read committed` share a lock, which `serializable` ones hold alone: these run as if no other
 * did, and never fail because of another.
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

/** Sends the first statement of a transaction without waiting for its beginning. If that fails, the statement does too. */
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
        // Other processes invalidate their caches.
        await transaction
          .updateTable('deletions')
          .set(({ eb }) => ({ deletion_count: eb('deletion_count', '+', 1) }))
          .execute();
        return result;
      });
  return { add, change, changeLong: change, readLong: (work) => work(database) };
}
