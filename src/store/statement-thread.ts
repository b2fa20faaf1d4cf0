import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { WorkerThread } from '../kernel/concurrency/worker-thread.ts';

export interface StatementRequest {
  readonly statement: string;
  readonly parameters: readonly unknown[];
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Number of rows that were changed; absent for queries. */
  readonly changes?: number | bigint;
}

/** Result of a statement, or SQLite's message and primary result code. */
export type StatementReply =
  | StatementResult
  | { readonly message: string; readonly errcode: number | undefined };

export type RunStatement = (statement: string) => Promise<readonly unknown[]>;

/** Runs statements in a separate thread. */
export class StatementThread {
  readonly #thread: WorkerThread<StatementRequest, StatementReply>;

  /**
   * @param script The bundled `statement-thread-main.js`.
   * @param file The database, which must exist.
   */
  constructor(script: string, file: string) {
    this.#thread = new WorkerThread(script, file);
  }

  /** @throws Error with SQLite's message, or if the thread ends. */
  async run(statement: string): Promise<readonly unknown[]> {
    return (await this.execute(statement)).rows;
  }

  /** @throws Error with SQLite's message and `errcode`, or if the thread ends. */
  async execute(statement: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    const reply = await this.#thread.ask({ statement, parameters });
    if ('rows' in reply) return reply;
    throw Object.assign(new Error(reply.message), { errcode: reply.errcode });
  }

  /** Keeps the thread alive between the statements of `work`, such as a transaction. */
  hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#thread.hold(work);
  }

  /** Waits for running statements. A later statement starts another thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** A Kysely dialect that runs statements in a thread. The caller must not run two transactions at a time. */
export class ThreadDialect implements Dialect {
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
      // SQLite has already rolled back after some errors, such as a full disk, and if the thread ended.
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
