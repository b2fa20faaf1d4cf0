import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { errorCode } from '../../kernel/error-code.ts';
import type { Logger } from '../../kernel/logger.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { breaksConnection, transientReason, StoreUnavailableError } from './failure.ts';

export interface PoolOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Maximum number of connections; further work waits for a free one. */
  readonly maxConnections: number;
  readonly timeouts: PoolTimeouts;
}

export interface PoolTimeouts {
  /** Limit to connect, or to wait for a free connection. */
  readonly connectMs: number;
  /** Limit of one statement; 0: no limit. */
  readonly statementMs: number;
}

export const serverTimeouts: PoolTimeouts = { connectMs: 5000, statementMs: 30_000 };

/** For statements whose time grows with the size of the database. */
export const maintenanceTimeouts: PoolTimeouts = { connectMs: 5000, statementMs: 0 };

/** Extra time after the database's own limit, after which a statement and its connection count as lost. */
const graceMs = 2000;

/** OIDs of `bigint`, and of `numeric`, the type of sums: all values of Hearth fit into a number. */
const numberTypes: ReadonlySet<number> = new Set([20, 1700]);
const bytesType = 17;
/** SQLSTATE of statements after a failed one in a transaction. */
const abortedTransaction = '25P02';
const beginning = /^(?:begin|start transaction)\b/;

/** Limited, since prepared statements take memory of the database server for each connection. */
const maxPrepared = 64;
const usesToPrepare = 5;
const maxCounted = 256;

/** Creates a pool of PostgreSQL connections, opened as needed. Loads `pg` with the first pool. */
export async function createConnectionPool({
  url,
  logger,
  maxConnections,
  timeouts: { connectMs, statementMs },
}: PoolOptions): Promise<PostgresPool> {
  const { Pool, types } = (await import('pg')).default;
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    // If statements of a transaction do not need each other's results, they take one round trip.
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'hearth',
    types: {
      getTypeParser: (type: number, format?: 'text') => {
        if (numberTypes.has(type)) return Number;
        const parse: (text: string) => unknown = types.getTypeParser(type, format ?? 'text');
        return type === bytesType
          ? (text: string) => new Uint8Array(parse(text) as Buffer<ArrayBuffer>)
          : parse;
      },
    } as typeof types,
  });
  // An idle connection was lost; the pool opens a new one. The error object has the connection, with its password.
  pool.on('error', ({ message }) => logger.warn({ reason: message }, 'database connection lost'));
  return new StorePool(pool, statementMs);
}

class StorePool implements PostgresPool {
  readonly #pool: Pool;
  readonly #statementMs: number;
  readonly #settings: string;
  /** Kysely identifies a connection by its object. */
  readonly #clients = new WeakMap<PoolClient, StoreClient>();

  constructor(pool: Pool, statementMs: number) {
    this.#pool = pool;
    this.#statementMs = statementMs;
    this.#settings = `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${2 * statementMs}`;
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    const known = this.#clients.get(client);
    if (known !== undefined) return known;
    const added = new StoreClient(client, this.#statementMs);
    try {
      // Set by statements: poolers refuse them as connection options.
      await added.query(this.#settings, []);
      await added.detectPooler();
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#clients.set(client, added);
    return added;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

class StoreClient implements PostgresPoolClient {
  /** `processID`: the server process that the other end of the connection claims to be. */
  readonly #client: PoolClient & { readonly processID?: unknown };
  readonly #statementMs: number;
  /** Number of sent statements that have no result yet. */
  #sent = 0;
  #isBroken = false;
  /** The error of the failed statement in the transaction; later statements fail with it too. */
  #failure: unknown;
  /** Undefined behind a pooler: the next statement may run in another session, which has not prepared it. */
  #prepared: PreparedStatements | undefined;

  constructor(client: PoolClient, statementMs: number) {
    this.#client = client;
    this.#statementMs = statementMs;
    // The running statement fails with this error. Without a listener the process would end.
    client.on('error', () => {
      this.#isBroken = true;
    });
  }

  async detectPooler(): Promise<void> {
    const { rows } = await this.query<{ readonly pid: number }>(
      'select pg_backend_pid() as pid',
      [],
    );
    if (rows[0]?.pid === this.#client.processID) this.#prepared = new PreparedStatements();
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query(): never;
  async query<Row>(
    sql?: string,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> {
    if (typeof sql !== 'string') throw new TypeError('Cursors are not supported');
    // The database rolled back when the connection was lost.
    if (this.#isBroken && sql === 'rollback') return { command: 'SELECT', rowCount: 0, rows: [] };
    if (beginning.test(sql)) this.#failure = undefined;
    const values = parameters.map(toPostgresValue);
    const name = values.length === 0 ? undefined : this.#prepared?.nameOf(sql);
    this.#sent += 1;
    // The database limits each statement. Each one sent before may use its whole limit.
    const limitMs = this.#statementMs === 0 ? 0 : this.#sent * this.#statementMs + graceMs;
    const statement = { text: sql, values, query_timeout: limitMs, ...omitUndefined({ name }) };
    try {
      const result = await this.#client.query(statement);
      return result as unknown as PostgresQueryResult<Row>;
    } catch (error) {
      // A connection is broken too if the beginning of its transaction failed, so that the rollback is skipped.
      this.#isBroken ||= breaksConnection(error) || beginning.test(sql);
      if (errorCode(error) === abortedTransaction) throw this.#failure ?? error;
      this.#failure = toStoreError(error, sql === 'commit' && this.#isBroken);
      throw this.#failure;
    } finally {
      this.#sent -= 1;
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/** Frequent statements, which PostgreSQL parses and plans once per connection. */
class PreparedStatements {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();

  nameOf(sql: string): string | undefined {
    // If a newer server migrates, the columns of `*` change and the prepared statement would fail.
    if (sql.includes('*')) return undefined;
    const name = this.#names.get(sql);
    if (name !== undefined || this.#names.size >= maxPrepared) return name;
    const uses = (this.#uses.get(sql) ?? 0) + 1;
    if (uses < usesToPrepare) {
      if (this.#uses.size >= maxCounted) this.#uses.clear();
      this.#uses.set(sql, uses);
      return undefined;
    }
    this.#uses.delete(sql);
    const added = `hearth_${this.#names.size}`;
    this.#names.set(sql, added);
    return added;
  }
}

function toStoreError(error: unknown, isCommitUnknown = false): unknown {
  const reason = transientReason(error);
  return reason === undefined ? error : new StoreUnavailableError(reason, error, isCommitUnknown);
}

/** Replaces NUL, which text in PostgreSQL can't have. */
function toPostgresValue(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}') : value;
}
