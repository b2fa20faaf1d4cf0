import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

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

interface Waiting {
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: Error) => void;
}

interface RunningThread {
  readonly worker: Worker;
  /** In the order of the statements, which is that of the replies. */
  readonly waiting: Waiting[];
}

/** Time without a statement after which the thread ends; it takes some 10 MB. */
const idleMs = 5000;

/**
 * Runs statements in a thread of their own, so that they do not block the event loop. The thread starts with the first
 * statement and ends when it is idle.
 */
export class StatementThread {
  readonly #script: string;
  readonly #file: string;
  #running: RunningThread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #holders = 0;

  /**
   * @param script The bundled `statement-thread-main.js`.
   * @param file The database, which exists.
   */
  constructor(script: string, file: string) {
    this.#script = script;
    this.#file = file;
  }

  /** @throws Error with SQLite's message, or if the thread ends. */
  async run(statement: string): Promise<readonly unknown[]> {
    return (await this.execute(statement)).rows;
  }

  /** @throws Error with SQLite's message and `errcode`, or if the thread ends. */
  execute(statement: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    clearTimeout(this.#idleTimer);
    const { worker, waiting } = (this.#running ??= this.#start());
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      const request: StatementRequest = { statement, parameters };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(request);
    });
  }

  /** Keeps the thread running between the statements of some work, such as a transaction. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#holders += 1;
    try {
      return await work();
    } finally {
      this.#holders -= 1;
      this.#endWhenIdle();
    }
  }

  /** Waits for the statements that were begun. A later one starts another thread. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#running?.worker;
    if (worker === undefined) return;
    this.#running = undefined;
    const exited = once(worker, 'exit');
    // The wait for its end must keep this process running.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(null);
    await exited;
  }

  #start(): RunningThread {
    const worker = new Worker(this.#script, { workerData: this.#file, execArgv: [] });
    worker.unref();
    const waiting: Waiting[] = [];
    const running = { worker, waiting };
    let failure = new Error('the thread of the database ended');
    worker.on('message', (reply: StatementReply) => {
      const { resolve, reject } = waiting.shift() ?? {};
      if ('rows' in reply) resolve?.(reply);
      else reject?.(Object.assign(new Error(reply.message), { errcode: reply.errcode }));
      if (this.#running === running) this.#endWhenIdle();
    });
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', () => {
      if (this.#running === running) this.#running = undefined;
      for (const { reject } of waiting) reject(failure);
    });
    return running;
  }

  #endWhenIdle(): void {
    if (this.#holders > 0 || (this.#running?.waiting.length ?? 1) > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.close(), idleMs).unref();
  }
}
