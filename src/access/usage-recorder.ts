import type { ServerEvent } from '../kernel/events/server-event.ts';
import type { ServerEvents } from '../kernel/events/server-events.ts';
import type { RequestRecord } from '../kernel/request/request-record.ts';
import {
  addUsage,
  noUsage,
  type UsageCounts,
  type UsageKey,
  type UsageRepository,
} from '../store/usage-repository.ts';

interface UsageRecorderOptions {
  readonly store: Pick<UsageRepository, 'add'>;
  readonly events: Pick<ServerEvents, 'subscribe'>;
  /** Called when rows can't be written; they are written later. */
  readonly onError: (error: unknown) => void;
  /** Maximum time between two writes, during which counts are only in memory. */
  readonly flushMs?: number;
}

/**
 * Counts the models' usage by requests, and writes the sums to the store once a second. A killed
 * process loses the counts since the last write.
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #unsubscribe: () => void;
  #pending = new Map<string, UsageKey & UsageCounts>();
  readonly #counted = new WeakSet<RequestRecord>();
  #timer: NodeJS.Timeout | undefined;
  #flushing = Promise.resolve();
  #hasFailed = false;

  constructor(options: UsageRecorderOptions) {
    this.#options = options;
    this.#unsubscribe = options.events.subscribe(this.#count);
  }

  /** Writes the counts to the store, unless it is not available. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  /** Writes the remaining counts. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await this.flush();
    clearTimeout(this.#timer);
  }

  readonly #count = (event: ServerEvent): void => {
    if (event.type === 'request.finished') {
      const { record } = event;
      if (record.state === 'failed') this.#add(record, { failedRequests: 1 });
      else if (!this.#counted.has(record)) this.#add(record, {});
    } else if (event.type === 'generation.ended') {
      const { record, generation } = event;
      const { prompt, cached, completion } = generation.tokens;
      const counts = {
        promptTokens: prompt,
        cachedPromptTokens: cached,
        completionTokens: completion,
      };
      // Another model may answer instead; then the request counts for that model.
      const mayContinue = generation.outcome.hasFailed === true && record.endMs === undefined;
      if (!mayContinue || prompt + completion > 0) this.#add(record, counts, !mayContinue);
    }
  };

  /**
   * Adds counts for a model. Counts a request once it uses a model, which a background response may do after its
   * request has ended.
   */
  #add(record: RequestRecord, counts: Partial<UsageCounts>, isRequest = true): void {
    const { model, caller } = record;
    if (model === undefined) return;
    const day = new Date().toISOString().slice(0, 10);
    const requests = isRequest && !this.#counted.has(record) ? 1 : 0;
    if (isRequest) this.#counted.add(record);
    const key = { day, tokenId: caller?.tokenId ?? null, modelKey: model };
    this.#merge({ ...key, ...noUsage, ...counts, requests });
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.flushMs ?? 1000).unref();
  }

  #merge(row: UsageKey & UsageCounts): void {
    const id = JSON.stringify([row.day, row.tokenId, row.modelKey]);
    const before = this.#pending.get(id);
    this.#pending.set(id, before === undefined ? row : { ...row, ...addUsage(before, row) });
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = [...this.#pending.values()];
    if (rows.length === 0) return;
    this.#pending = new Map();
    try {
      await this.#options.store.add(rows);
      this.#hasFailed = false;
    } catch (error) {
      for (const row of rows) this.#merge(row);
      if (!this.#hasFailed) this.#options.onError(error);
      this.#hasFailed = true;
      this.#timer ??= setTimeout(() => void this.flush(), this.#options.flushMs ?? 1000).unref();
    }
  }
}
