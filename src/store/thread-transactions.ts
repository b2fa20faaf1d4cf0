import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Logger } from '../kernel/logger.ts';
import type { Schema } from './schema.ts';
import type { StatementThread } from './statement-thread.ts';
import { serialTransactions, type Transactions } from './transactions.ts';

interface ThreadTransactionsOptions {
  readonly database: Kysely<Schema>;
  readonly thread: StatementThread;
  /** Called after each transaction of the thread. */
  readonly onCommit: () => void;
  readonly logger: Logger;
}

/**
 * Runs long work in a thread, where its statements do not block the event loop. The connection of this thread is taken
 * meanwhile: waiting for the lock of the other one would block.
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
    add: (work, options) => (options?.isLong === true ? changeLong(work) : here.add(work)),
    change: (work) => here.change(work),
    changeLong,
    readLong,
  };
}

/** A Kysely dialect that runs statements in a thread. Its user runs one transaction at a time. */
class ThreadDialect implements Dialect {
  readonly #thread: StatementThread;
  readonly #onCommit: () => void;

  /** @param onCommit Called after each transaction. */
  constructor(thread: StatementThread, onCommit: () => void) {
    this.#thread = thread;
    this.#onCommit = onCommit;
  }

  createDriver(): Driver {
    const connection = new ThreadConnection(this.#thread);
    const run = async (statement: string): Promise<void> => {
      await connection.executeQuery(CompiledQuery.raw(statement));
    };
    return {
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: () => run('begin immediate'),
      commitTransaction: async () => {
        await run('commit');
        this.#onCommit();
      },
      // SQLite rolls back by itself after some errors, such as a full disk, and at the end of the thread.
      rollbackTransaction: () => run('rollback').catch(() => {}),
      releaseConnection: async () => {},
      destroy: async () => {},
    };
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the interface of Kysely
  createIntrospector(database: Kysely<any>): SqliteIntrospector {
    return new SqliteIntrospector(database);
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: StatementThread;

  constructor(thread: StatementThread) {
    this.#thread = thread;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#thread.execute(sql, parameters);
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    };
  }

  // oxlint-disable-next-line require-yield -- nothing reads in a stream
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('The thread does not stream rows.');
  }
}
