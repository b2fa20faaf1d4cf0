import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely';
import type { StatementThread } from './statement-thread.ts';

/** A Kysely dialect that runs statements in a thread. Its user runs one transaction at a time. */
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
