import { setTimeout as delay } from 'node:timers/promises';
import type { TurnEvent } from '../turn-event.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type {
  BackgroundTurnRepository,
  StoredBackgroundTurn,
} from '../../store/shared/background-turn.ts';
import type { FollowableTurn, TurnHead } from './followable-turn.ts';
import { eventsDropped, type Numbered } from './replay-buffer.ts';
import { decodeError, decodeEvent } from './turn-event-codec.ts';

interface StoredTurnOptions {
  readonly store: BackgroundTurnRepository;
  readonly row: StoredBackgroundTurn;
  /** Ends the turn if its process has ended. */
  readonly recover: (id: string) => Promise<void>;
}

/** Interval between two reads of new events. */
const pollMs = 200;
/** Interval between two checks that the turn's process is still running. */
const recoverMs = 2000;

/** A turn of another process, which may have ended. Reads the events from the database. */
export class StoredTurn implements FollowableTurn {
  readonly id: string;
  readonly ownerId: string | null;
  readonly createdAt: Date;
  readonly head: TurnHead;
  readonly #options: StoredTurnOptions;
  #row: StoredBackgroundTurn;

  constructor(options: StoredTurnOptions) {
    const { row } = options;
    this.id = row.id;
    this.ownerId = row.ownerId;
    this.createdAt = row.createdAt;
    this.head = JSON.parse(row.head) as TurnHead;
    this.#options = options;
    this.#row = row;
  }

  get isRunning(): boolean {
    return this.#row.status === 'running' || this.#row.status === 'recovering';
  }

  get endedAt(): Date | undefined {
    return this.#row.endedAt ?? undefined;
  }

  get error(): HearthError | undefined {
    return this.#row.error === null ? undefined : decodeError(this.#row.error);
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<Numbered<TurnEvent>> {
    let next = after + 1;
    let last: TurnEvent | undefined;
    for await (const batch of this.#batches(() => next, signal)) {
      for (const each of batch) {
        if (each.sequence < next) continue;
        if (each.sequence > next) throw eventsDropped();
        next += 1;
        last = each.value;
        yield each;
      }
    }
    if (this.error !== undefined && last === undefined && next === 0) throw this.error;
  }

  async recorded(): Promise<readonly TurnEvent[]> {
    // Reads the status before the events: otherwise events added in between would be missing at the end.
    await this.#reload();
    return readEvents(this.#options.store, this.id);
  }

  /** Waits until the turn has ended. */
  async ended(signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; this.isRunning; waitedMs += pollMs) {
      await this.#wait(waitedMs, signal);
      await this.#reload();
    }
  }

  async *#batches(
    position: () => number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Numbered<TurnEvent>[]> {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      signal.throwIfAborted();
      // Reads the status before the events, so that no event follows after an end.
      await this.#reload();
      const { isRunning } = this;
      for (;;) {
        const events = await readPieces(this.#options.store, this.id, position());
        if (events.length === 0) break;
        yield events;
      }
      if (!isRunning) return;
      await this.#wait(waitedMs, signal);
    }
  }

  async #wait(waitedMs: number, signal: AbortSignal): Promise<void> {
    if (waitedMs % recoverMs === 0) await this.#options.recover(this.id);
    await delay(pollMs, undefined, { signal });
  }

  async #reload(): Promise<void> {
    if (!this.isRunning) return;
    const row = await this.#options.store.find(this.id);
    if (row === undefined) throw eventsDropped();
    this.#row = row;
  }
}

/** Reads all stored events of a turn. */
export async function readEvents(
  store: Pick<BackgroundTurnRepository, 'eventsFrom'>,
  id: string,
): Promise<readonly TurnEvent[]> {
  const all: TurnEvent[] = [];
  for (;;) {
    const events = await readPieces(store, id, all.length);
    if (events.length === 0) return all;
    all.push(...events.map(({ value }) => value));
  }
}

async function readPieces(
  store: Pick<BackgroundTurnRepository, 'eventsFrom'>,
  id: string,
  position: number,
): Promise<readonly Numbered<TurnEvent>[]> {
  const pieces = await store.eventsFrom(id, position);
  return pieces.flatMap(({ first, events }) =>
    (JSON.parse(events) as readonly unknown[]).map((event, index) => ({
      sequence: first + index,
      value: decodeEvent(event),
    })),
  );
}
