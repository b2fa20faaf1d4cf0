import { WorkerThread } from '../kernel/concurrency/worker-thread.ts';

export interface StatementRequest {
  readonly statement: string;
  readonly parameters: readonly unknown[];
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Rows that a statement without rows changed. */
  readonly changes?: number | bigint;
}

/** An error has the message and the primary result code of SQLite. */
export type StatementReply =
  | StatementResult
  | { readonly message: string; readonly errcode: number | undefined };

/** Runs one statement of SQL. */
export type RunStatement = (statement: string) => Promise<readonly unknown[]>;

/** Runs statements in a thread of their own. */
export class StatementThread {
  readonly #thread: WorkerThread<StatementRequest, StatementReply>;

  /**
   * @param script The bundled `statement-thread-main.js`.
   * @param file The database, which exists.
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

  /** Keeps the thread running between the statements of some work, such as a transaction. */
  hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#thread.hold(work);
  }

  /** Waits for the statements that were begun. A later one starts another thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
