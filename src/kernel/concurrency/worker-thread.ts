import { once } from 'node:events';
import { Worker, type Transferable } from 'node:worker_threads';

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

interface RunningThread<Reply> {
  readonly worker: Worker;
  /** Requests without a reply, in the order in which the thread replies. */
  readonly waiting: Waiting<Reply>[];
}

/** Time without a request after which the thread ends, since it takes about 10 MB. */
const idleMs = 5000;

/**
 * A thread that handles one request after the other, so that they do not block the event loop. It starts with the first
 * request and ends when it is idle. Its script receives `null` as the request to end.
 */
export class WorkerThread<Request, Reply> {
  readonly #script: string;
  readonly #data: unknown;
  #running: RunningThread<Reply> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #holders = 0;

  /**
   * @param script A bundled script.
   * @param data The script's `workerData`.
   */
  constructor(script: string, data?: unknown) {
    this.#script = script;
    this.#data = data;
  }

  /** @throws Error if the thread ends before it replies. */
  ask(request: Request, transferred: readonly Transferable[] = []): Promise<Reply> {
    clearTimeout(this.#idleTimer);
    const { worker, waiting } = (this.#running ??= this.#start());
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(request, transferred);
    });
  }

  /** Keeps the thread alive between the requests of `work`, such as a transaction. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#holders += 1;
    try {
      return await work();
    } finally {
      this.#holders -= 1;
      this.#endWhenIdle();
    }
  }

  /** Waits for running requests. A later request starts another thread. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#running?.worker;
    if (worker === undefined) return;
    this.#running = undefined;
    const exited = once(worker, 'exit');
    // Keeps this process alive until the thread has ended.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(null);
    await exited;
  }

  #start(): RunningThread<Reply> {
    const worker = new Worker(this.#script, { workerData: this.#data, execArgv: [] });
    worker.unref();
    const waiting: Waiting<Reply>[] = [];
    const running = { worker, waiting };
    let failure = new Error('the thread ended');
    worker.on('message', (reply: Reply) => {
      waiting.shift()?.resolve(reply);
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
