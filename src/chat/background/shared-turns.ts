import type { DraftResponse } from '../turn-request.ts';
import { coalesceRuns } from '../../kernel/concurrency/coalesce-runs.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Lease, LeaseKeeper } from '../../store/shared/lease-keeper.ts';
import type { EndedStatus, StoredBackgroundTurn } from '../../store/shared/background-turn.ts';
import type { Store, StoredResponse } from '../../store/store.ts';
import type { BackgroundTurn } from './background-turn.ts';
import { EventWriter } from './event-writer.ts';
import {
  decodeDraft,
  encodeDraft,
  interruptedError,
  missingEnd,
  toInterrupted,
} from './recovery.ts';
import { readEvents, StoredTurn } from './stored-turn.ts';
import { encodeError, encodeEvent } from './turn-event-codec.ts';

export interface SharedTurnsOptions {
  readonly store: Pick<Store, 'backgroundTurns' | 'responses'>;
  readonly leases: LeaseKeeper;
  readonly logger: Logger;
  /** Called if another process cancels a turn of this process. */
  readonly onCancel: (id: string) => void;
  /** Called if another process has taken over a turn, since this process did not renew its lease for too long. */
  readonly onLost: (id: string, error: HearthError) => void;
  /** Time for which the events of a turn are kept after its end. */
  readonly retentionMs: number;
  /** Interval between two checks for turns whose process has ended. */
  readonly lookMs?: number;
}

/** Attempts to end a turn. Its process can only interfere with the write that it has begun. */
const maxEndAttempts = 5;

const leaseOf = (id: string): string => `response:${id}`;

/** The turns of all processes of the database. This process writes its own turns and reads the others. */
export class SharedTurns {
  readonly #options: SharedTurnsOptions;
  readonly #writer: EventWriter;
  readonly #leases = new Map<string, Lease>();
  readonly #lookAgain = coalesceRuns(() => this.#look());
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SharedTurnsOptions) {
    this.#options = options;
    const { store, onCancel, logger } = options;
    this.#writer = new EventWriter({
      store: store.backgroundTurns,
      onCancel,
      onError: (err) => logger.warn({ err }, 'events of background responses not stored yet'),
    });
  }

  /** Starts to look for turns whose process has ended. Turns of an earlier run of this process are ended at once. */
  start(): void {
    const { lookMs = 5000 } = this.#options;
    this.#timer = setInterval(() => void this.#lookAgain(), lookMs).unref();
    void this.#lookAgain();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lookAgain();
    this.#writer.close();
  }

  /**
   * Makes a turn of this process visible to all processes. On a full disk the turn is visible only in this process.
   *
   * @throws HearthError `store_unavailable`: the other servers would not know the turn.
   */
  async add(turn: BackgroundTurn): Promise<void> {
    try {
      await this.#share(turn);
    } catch (err) {
      if (isUnavailable(err)) throw err;
      this.#options.logger.warn({ err, response: turn.id }, 'background response not shared');
    }
  }

  async #share({ id, ownerId, createdAt, head }: BackgroundTurn): Promise<void> {
    const { store, leases, onLost } = this.#options;
    // Takes the lease before it adds the row, so that no process takes the turn for an abandoned one.
    const lease = await leases.take(leaseOf(id));
    if (lease === undefined) throw new Error(`The id ${id} is in use.`);
    this.#leases.set(id, lease);
    lease.lost.addEventListener('abort', () => onLost(id, interruptedError()), { once: true });
    try {
      await store.backgroundTurns.insert({ id, ownerId, createdAt, head: JSON.stringify(head) });
    } catch (error) {
      await this.#release(id);
      throw error;
    }
    this.#writer.add(id);
  }

  /**
   * Stores the draft of a response. Without a draft, nothing of the turn is stored if this process ends early.
   *
   * @throws HearthError `store_unavailable`.
   */
  async saveDraft(id: string, draft: DraftResponse): Promise<void> {
    const { store, logger } = this.#options;
    try {
      await store.backgroundTurns.setDraft(id, encodeDraft(draft));
    } catch (err) {
      if (isUnavailable(err)) throw err;
      logger.warn({ err, response: id }, 'draft of a background response not stored');
    }
  }

  push: EventWriter['push'] = (id, event) => this.#writer.push(id, event);

  /** Ends a turn of this process in the database. If that fails, other processes end it. */
  async end({ id, status, error, endedAt = new Date() }: BackgroundTurn): Promise<void> {
    const { store, logger } = this.#options;
    try {
      await this.#writer.end(id);
      await store.backgroundTurns.end(id, 'running', {
        status: status as EndedStatus,
        error: error === undefined ? null : encodeError(error),
        endedAt,
      });
    } catch (err) {
      logger.warn({ err, response: id }, 'end of a background response not stored');
    } finally {
      await this.#release(id);
    }
  }

  /** Finds a turn of another process, or of an earlier run of this process. */
  async find(id: string): Promise<StoredTurn | undefined> {
    const { backgroundTurns: store } = this.#options.store;
    const row = await store.find(id);
    return row && new StoredTurn({ store, row, recover: (each) => this.#recover(each) });
  }

  async remove(id: string): Promise<void> {
    await this.#options.store.backgroundTurns.delete(id);
  }

  async requestCancel(id: string): Promise<void> {
    await this.#options.store.backgroundTurns.requestCancel(id);
  }

  async #release(id: string): Promise<void> {
    await this.#leases.get(id)?.release();
    this.#leases.delete(id);
  }

  async #look(): Promise<void> {
    const { store, logger, retentionMs } = this.#options;
    try {
      for (const id of await store.backgroundTurns.runningIds()) {
        if (!this.#leases.has(id)) await this.#recoverIfPossible(id);
      }
      await store.backgroundTurns.deleteEnded(new Date(Date.now() - retentionMs));
    } catch (err) {
      logger.warn({ err }, 'background responses could not be read');
    }
  }

  /** If one turn can't be ended, the others are ended all the same. */
  async #recoverIfPossible(id: string): Promise<void> {
    try {
      await this.#recover(id);
    } catch (err) {
      this.#options.logger.warn({ err, response: id }, 'background response not ended yet');
    }
  }

  /** Ends a turn whose process has ended, and stores its output; no effect while the process runs. */
  async #recover(id: string): Promise<void> {
    const { store, leases, logger } = this.#options;
    const lease = await leases.take(leaseOf(id));
    if (lease === undefined) return;
    try {
      // From here on, the turn's process can't add events, even if it was only slow.
      if (!(await store.backgroundTurns.recover(id))) return;
      const row = await store.backgroundTurns.find(id);
      if (row === undefined) return;
      const stored = await this.#storeInterrupted(row);
      const isWhole = stored !== undefined && stored.turn.isInterrupted !== true;
      const error = isWhole ? undefined : interruptedError();
      await this.#addEnd(id, stored, error);
      const isCancelled = stored?.turn.isCancelled === true;
      await store.backgroundTurns.end(id, 'recovering', {
        status: isCancelled ? 'cancelled' : isWhole ? 'completed' : 'failed',
        error: error === undefined ? null : encodeError(error),
        endedAt: new Date(),
      });
      logger.warn({ response: id }, 'ended a background response whose server had ended');
    } finally {
      await lease.release();
    }
  }

  /** Returns the response of a turn; stores it first if the turn's process has not. */
  async #storeInterrupted({
    id,
    ownerId,
    draft,
  }: StoredBackgroundTurn): Promise<StoredResponse | undefined> {
    const { responses, backgroundTurns } = this.#options.store;
    const known = await responses.find(id, ownerId);
    if (known !== undefined || draft === null) return known;
    const { blobs, conversationId, begun, ...rest } = decodeDraft(draft);
    const response = toInterrupted({ blobs, ...rest }, await readEvents(backgroundTurns, id));
    try {
      await responses.insert(response, blobs, conversationId, begun);
      return response;
    } catch (error) {
      // The turn's process was only slow, and has now stored the response.
      const late = await responses.find(id, ownerId);
      // The response can't be stored, since the response that it continues was deleted.
      const isRefused = error instanceof HearthError && !isUnavailable(error);
      if (late === undefined && !isRefused) throw error;
      return late;
    }
  }

  /** Adds the missing last events of a turn. Tries again if the turn's process added events at the same time. */
  async #addEnd(
    id: string,
    stored: StoredResponse | undefined,
    error: HearthError | undefined,
  ): Promise<void> {
    const { backgroundTurns } = this.#options.store;
    for (let attempt = 0; attempt < maxEndAttempts; attempt += 1) {
      const events = await readEvents(backgroundTurns, id);
      const rest = missingEnd(events, stored, error);
      if (rest.length === 0) return;
      await backgroundTurns.addEnd({
        id,
        first: events.length,
        count: rest.length,
        events: `[${rest.map(encodeEvent).join(',')}]`,
      });
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HearthError && error.code === 'store_unavailable';
}
