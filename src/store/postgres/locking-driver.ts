import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type PostgresDialectConfig,
  type TransactionSettings,
} from 'kysely';

/** Advisory locks of Hearth (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). */
const lockSpace = 0x68_65_61_72;
const locks = { rows: 1, migration: 2 } as const;

const lock = (name: keyof typeof locks, suffix: '' | '_shared' = ''): string =>
  `select pg_advisory_xact_lock${suffix}(${lockSpace}, ${locks[name]})`;

/** Held by a transaction that migrates, until its end. */
export const migrationLock = lock('migration');

/** How a transaction begins, by its isolation level: with its lock, in one round trip. */
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

class LockingPostgresDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const beginning = beginnings.get(settings.isolationLevel ?? '');
    if (beginning === undefined) await super.beginTransaction(connection, settings);
    else await connection.executeQuery(CompiledQuery.raw(beginning));
  }
}
