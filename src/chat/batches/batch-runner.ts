import { setTimeout as delay } from 'node:timers/promises';
import { coalesceRuns } from '../../kernel/concurrency/coalesce-runs.ts';
import { runTaskGroup } from '../../kernel/concurrency/task-group.ts';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { BatchError, BatchLine, StoredBatch } from '../../store/batches/batch.ts';
import type { Store } from '../../store/store.ts';
import { newBatchId } from './batch-id.ts';
import { parseRequest, type BatchRequest, type ParseJson } from './parse-request.ts';
import {
  answerLines,
  errorLines,
  toResult,
  toUnreadable,
  type BatchAnswer,
} from './result-lines.ts';
import { validateBatch, type BatchLimits } from './validate-batch.ts';

/** Sends a request to the API on behalf of its owner, with a lower priority than other requests. */
export type SendRequest = (request: {
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly ownerId: string | null;
  readonly signal: AbortSignal;
}) => Promise<BatchAnswer>;

export interface BatchRunnerOptions extends BatchLimits {
  readonly store: Pick<Store, 'files' | 'batches'>;
  /** Id of this server, the same after a restart. */
  readonly holder: string;
  /** Maximum number of running requests of all batches. */
  readonly concurrency: number;
  readonly parseJson: ParseJson;
  readonly send: SendRequest;
  readonly logger: Logger;
  /** Time after which another process may run the batches of a killed one; several times `pollMs`. */
  readonly leaseMs?: number;
  /** Interval between two checks for batches to run, including those that other processes created. */
  readonly pollMs?: number;
  /** Delay before a request is first repeated because the server is busy. */
  readonly retryMs?: number;
}

const maxRetryMs = 30_000;
/** Attempts if the server is unavailable. If it is busy (429), the request is repeated until the batch expires. */
const maxUnavailable = 5;
const linesPerPage = 50;

type StopCause = 'cancelled' | 'expired' | 'released';

/**
 * Runs the batches of the store: validates them, sends their requests, stores each result at once, and writes the files
 * of answers and errors. If the server was stopped or killed, its batches continue where they stopped.
 */
export class BatchRunner {
  readonly #options: Required<BatchRunnerOptions>;
  readonly #permits: Semaphore;
  readonly #running = new Map<
    string,
    { readonly stop: (cause: StopCause) => void; readonly done: Promise<void> }
  >();
  readonly #lookAgain = coalesceRuns(() => this.#look());
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: BatchRunnerOptions) {
    this.#options = { leaseMs: 30_000, pollMs: 5000, retryMs: 1000, ...options };
    this.#permits = new Semaphore(options.concurrency);
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), this.#options.pollMs);
    this.#timer.unref();
    this.wake();
  }

  /** Checks at once for batches to start or to stop. */
  wake(): void {
    if (!this.#isClosed) void this.#lookAgain();
  }

  /** Aborts running requests. They are sent again later, by this or another process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#lookAgain();
    const running = [...this.#running.values()];
    for (const { stop } of running) stop('released');
    await Promise.all(running.map(({ done }) => done));
  }

  async #look(): Promise<void> {
    const { store, logger } = this.#options;
    try {
      for (const id of await store.batches.activeIds()) {
        if (this.#isClosed) return;
        await this.#attend(id);
      }
    } catch (err) {
      logger.warn({ err }, 'batches could not be read');
    }
  }

  /** Takes or renews the lease of a batch, and starts or stops its run. */
  async #attend(id: string): Promise<void> {
    const batch = await this.#claim(id);
    const running = this.#running.get(id);
    if (running !== undefined) {
      if (batch === undefined) running.stop('released');
      else if (batch.status === 'cancelling') running.stop('cancelled');
      // A batch's requests are known only after the validation, which then reports them as expired.
      else if (batch.status !== 'validating' && hasExpired(batch)) running.stop('expired');
    } else if (batch !== undefined && !this.#isClosed) this.#begin(id);
  }

  #claim(id: string): Promise<StoredBatch | undefined> {
    const { store, holder, leaseMs } = this.#options;
    return store.batches.claim(id, holder, new Date(Date.now() + leaseMs));
  }

  #begin(id: string): void {
    const { store, holder, logger } = this.#options;
    const stopping = new AbortController();
    let cause: StopCause | undefined;
    const stop = (next: StopCause): void => {
      cause ??= next;
      stopping.abort(stopError(next));
    };
    const run = async (): Promise<void> => {
      try {
        await this.#run(id, stopping.signal, () => cause);
        if (cause === 'released') await store.batches.claim(id, holder, new Date());
      } catch (err) {
        if (cause !== 'released') logger.warn({ err, batch: id }, 'a batch failed; it is resumed');
      } finally {
        this.#running.delete(id);
        // A stopped batch may need further work, such as its end as canceled.
        if (cause !== undefined) this.wake();
      }
    };
    this.#running.set(id, { stop, done: run() });
  }

  /** Moves a batch through its statuses until it has ended. */
  async #run(id: string, signal: AbortSignal, causeOf: () => StopCause | undefined): Promise<void> {
    const { store } = this.#options;
    while (causeOf() !== 'released') {
      const batch = await this.#claim(id);
      switch (batch?.status) {
        case 'validating':
          await unlessStopped(this.#validate(batch, signal), causeOf);
          break;
        case 'in_progress':
          if (!hasExpired(batch)) await unlessStopped(this.#makeRequests(batch, signal), causeOf);
          if (causeOf() === 'released') return;
          await store.batches.move(id, ['in_progress'], 'finalizing');
          break;
        case 'finalizing':
        case 'cancelling':
          return this.#finish(batch);
        default:
          return;
      }
    }
  }

  async #validate(batch: StoredBatch, signal: AbortSignal): Promise<void> {
    const { store, parseJson, logger } = this.#options;
    const { id } = batch;
    const { errors, count } = await validateBatch(store, batch, this.#options, parseJson, signal);
    if (errors.length > 0) {
      await store.batches.end(id, 'failed', { errors });
      logger.info({ batch: id, errors: errors.length }, 'batch refused');
      return;
    }
    await store.batches.move(id, ['validating'], 'in_progress', { totalCount: count });
  }

  async #makeRequests(batch: StoredBatch, signal: AbortSignal): Promise<void> {
    const { concurrency } = this.#options;
    const lines = this.#pending(batch.id);
    const work = async (own: AbortSignal): Promise<void> => {
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
        await this.#makeRequest(batch, next.value, own);
      }
    };
    await runTaskGroup(
      signal,
      Array.from({ length: concurrency }, () => work),
    );
  }

  async *#pending(id: string): AsyncGenerator<BatchLine, undefined> {
    const { store } = this.#options;
    let after = 0;
    while (true) {
      const lines = await store.batches.pending(id, after, linesPerPage);
      for (const line of lines) {
        after = line.line;
        yield line;
      }
      if (lines.length < linesPerPage) return undefined;
    }
  }

  async #makeRequest(batch: StoredBatch, line: BatchLine, signal: AbortSignal): Promise<void> {
    const { store, send, retryMs } = this.#options;
    const { endpoint, ownerId } = batch;
    let waitMs = retryMs;
    let unavailable = 0;
    while (true) {
      const answer = await this.#permits.run(async () => {
        signal.throwIfAborted();
        const request = await this.#readRequest(batch, line);
        if ('code' in request) return request;
        return send({ endpoint, body: request.body, ownerId, signal });
      }, signal);
      if ('code' in answer) {
        // The request can't be read if limits have changed since the validation.
        await store.batches.record(batch.id, line.line, toUnreadable(line, answer));
        return;
      }
      // If the batch was stopped, the error may only come from the abort.
      if (answer.status >= 400) signal.throwIfAborted();
      if (answer.status === 503) unavailable += 1;
      const mayWait = answer.status === 503 && unavailable < maxUnavailable;
      if (answer.status !== 429 && !mayWait) {
        await store.batches.record(batch.id, line.line, toResult(line, answer));
        return;
      }
      await delay(waitMs, undefined, { signal });
      waitMs = Math.min(2 * waitMs, maxRetryMs);
    }
  }

  async #readRequest(
    { inputFileId, endpoint }: StoredBatch,
    { line, start, length }: BatchLine,
  ): Promise<BatchRequest | BatchError> {
    const { store, parseJson } = this.#options;
    const pieces: Uint8Array[] = [];
    for await (const piece of store.files.read(inputFileId, start, length)) pieces.push(piece);
    return parseRequest(pieces, line, endpoint, parseJson);
  }

  /** Writes the files and ends the batch. */
  async #finish(batch: StoredBatch): Promise<void> {
    const { store, holder, logger } = this.#options;
    const { id, status } = batch;
    const isWhole = (await store.batches.pending(id, 0, 1)).length === 0;
    const outputFileId = await this.#writeFile(batch, 'output', answerLines(store, batch));
    const errorFileId = await this.#writeFile(batch, 'error', errorLines(store, batch)).catch(
      async (error: unknown) => {
        // The next attempt writes this file again.
        if (outputFileId !== undefined) await store.files.delete(outputFileId, holder);
        throw error;
      },
    );
    const ended = status === 'cancelling' ? 'cancelled' : isWhole ? 'completed' : 'expired';
    await store.batches.end(id, ended, { outputFileId, errorFileId });
    logger.info({ batch: id, status: ended }, 'batch ended');
  }

  /** Undefined if there are no lines. */
  async #writeFile(
    { id, ownerId }: StoredBatch,
    kind: 'output' | 'error',
    lines: AsyncGenerator<Uint8Array>,
  ): Promise<string | undefined> {
    const { store, holder } = this.#options;
    const file = await store.files.write(
      {
        id: newBatchId('file-'),
        ownerId,
        purpose: 'batch_output',
        name: `${id}_${kind}.jsonl`,
        createdAt: new Date(),
      },
      lines,
      holder,
    );
    if (file.sizeBytes > 0) return file.id;
    await store.files.delete(file.id, holder);
    return undefined;
  }
}

function hasExpired({ expiresAt }: StoredBatch): boolean {
  return expiresAt.getTime() <= Date.now();
}

/** Waits for work, and ignores its failure if it was stopped. */
async function unlessStopped(
  work: Promise<void>,
  causeOf: () => StopCause | undefined,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (causeOf() === undefined) throw error;
  }
}

function stopError(cause: StopCause): HearthError {
  return cause === 'released'
    ? new HearthError('shutting_down', 'The server is stopping.')
    : new HearthError(
        'cancelled',
        `The batch was ${cause === 'expired' ? 'not completed in time' : cause}.`,
      );
}
