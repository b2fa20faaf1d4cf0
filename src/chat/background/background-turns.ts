import { setTimeout as delay } from 'node:timers/promises';
import { beforeEnd } from '../before-end.ts';
import { runTurn } from '../run-turn.ts';
import type { TurnServices } from '../prepare-turn.ts';
import { newResponseId } from '../store-turn.ts';
import type { TurnRequest } from '../turn-request.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { withSignal, type RequestContext } from '../../kernel/request/request-context.ts';
import { BackgroundTurn } from './background-turn.ts';
import { headOf, type FollowableTurn } from './followable-turn.ts';
import { SharedTurns, type SharedTurnsOptions } from './shared-turns.ts';

export interface BackgroundTurnsOptions extends Pick<
  SharedTurnsOptions,
  'store' | 'leases' | 'logger' | 'lookMs'
> {
  /** Maximum number of running turns. */
  readonly maxRunning: number;
  /** Time for which the events of a turn are kept after its end. */
  readonly retentionMs?: number;
  /** Maximum bytes of one turn's events. */
  readonly maxTurnBytes?: number;
  /** Maximum bytes of ended turns; the ones that ended first are dropped first. */
  readonly maxEndedBytes?: number;
}

interface StartOptions {
  /** The initial response as JSON, in the format of the API that started the turn. */
  readonly initial?: unknown;
  /** Called before the last event of the turn, possibly twice. */
  readonly onEnd?: () => Promise<void>;
}

const mebibyte = 1024 * 1024;
/** Maximum wait for a turn to be accepted, since it may queue behind other requests. */
const longestWaitMs = 1000;

/** Turns that can outlive the requests that started them, kept until some minutes after their end. */
export class BackgroundTurns {
  readonly #options: Required<Omit<BackgroundTurnsOptions, 'lookMs'>>;
  readonly #shared: SharedTurns;
  readonly #turns = new Map<string, BackgroundTurn>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: BackgroundTurnsOptions) {
    this.#options = {
      retentionMs: 5 * 60_000,
      maxTurnBytes: 16 * mebibyte,
      maxEndedBytes: 64 * mebibyte,
      ...options,
    };
    this.#shared = new SharedTurns({
      ...options,
      retentionMs: this.#options.retentionMs,
      onCancel: (id) => this.#turns.get(id)?.abort(cancelled()),
      onLost: (id, error) => this.#turns.get(id)?.abort(error),
    });
  }

  /** Starts to end turns whose process has ended. */
  watch(): void {
    this.#shared.start();
  }

  /**
   * Starts a turn that continues without its client, and waits briefly for the engine to accept it.
   *
   * @throws HearthError `queue_full` if too many turns are running; `shutting_down`; `store_unavailable`; the errors
   *   that `runTurn` throws before the engine has accepted the prompt.
   */
  async start(
    services: TurnServices,
    request: TurnRequest,
    context: RequestContext,
    { initial, onEnd = async () => {} }: StartOptions = {},
  ): Promise<BackgroundTurn> {
    const turn = this.#add(request, context.caller.tokenId, initial);
    try {
      await this.#shared.add(turn);
    } catch (error) {
      this.#turns.delete(turn.id);
      throw error;
    }
    const running = runTurn(
      services,
      {
        ...request,
        responseId: turn.id,
        isStored: true,
        isBackground: true,
        onDraft: (draft) => this.#shared.saveDraft(turn.id, draft),
      },
      withSignal(context, turn.signal),
    );
    const events = beforeEnd(running, onEnd);
    void turn.run(events, () => this.#shared.end(turn)).then(() => this.#retire(turn));
    const waited = new AbortController();
    const isLate = delay(longestWaitMs, undefined, { signal: waited.signal }).catch(() => {});
    try {
      await Promise.race([turn.accepted, isLate]);
    } catch (error) {
      await turn.ended;
      await this.#forget(turn.id);
      // The client gets the error instead of a response.
      await services.store.responses.delete(turn.id, turn.ownerId);
      throw error;
    } finally {
      waited.abort();
    }
    return turn;
  }

  /** Finds a turn that this caller started, or that was started without a token. */
  async find(id: string, callerId: string | null): Promise<FollowableTurn | undefined> {
    const turn = await this.#findAny(id);
    return turn?.ownerId === null || turn?.ownerId === callerId ? turn : undefined;
  }

  /**
   * Ends a turn and stores its output; no effect if it has ended.
   * @returns The turn after its end; undefined if this caller did not start it.
   */
  async cancel(
    id: string,
    callerId: string | null,
    signal: AbortSignal,
  ): Promise<FollowableTurn | undefined> {
    const own = this.#turns.get(id);
    if (own !== undefined) {
      if (own.ownerId !== callerId) return undefined;
      own.abort(cancelled());
      await own.ended;
      return own;
    }
    const other = await this.#shared.find(id);
    if (other === undefined || other.ownerId !== callerId) return undefined;
    await this.#shared.requestCancel(id);
    await other.ended(signal);
    return other;
  }

  /**
   * Forgets a turn of this caller because its response is deleted.
   *
   * @throws HearthError `conflict` if the turn is still running.
   */
  async remove(id: string, callerId: string | null): Promise<void> {
    const turn = await this.#findAny(id);
    if (turn === undefined || turn.ownerId !== callerId) return;
    if (turn.isRunning) {
      throw new HearthError('conflict', `The response ${id} is still running. Cancel it first.`);
    }
    await this.#forget(id);
  }

  /** Ends all turns, stores their output, and rejects new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#turns.values()].filter(({ isRunning }) => isRunning);
    for (const turn of running) turn.abort(shuttingDown());
    await Promise.all(running.map(({ ended }) => ended));
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#shared.close();
  }

  async #findAny(id: string): Promise<FollowableTurn | undefined> {
    return this.#turns.get(id) ?? (await this.#shared.find(id));
  }

  #add(request: TurnRequest, ownerId: string | null, initial: unknown): BackgroundTurn {
    if (this.#isClosed) throw shuttingDown();
    const { maxRunning, maxTurnBytes } = this.#options;
    const running = [...this.#turns.values()].filter(({ isRunning }) => isRunning);
    if (running.length >= maxRunning) {
      throw new HearthError(
        'queue_full',
        `${maxRunning} responses run in the background, which is the limit. Try again later.`,
        { retryAfterSeconds: 5 },
      );
    }
    const { responseId: id = newResponseId() } = request;
    const turn = new BackgroundTurn({
      id,
      ownerId,
      head: headOf(request, initial),
      maxBytes: maxTurnBytes,
      onEvent: (event) => this.#shared.push(id, event),
    });
    this.#turns.set(id, turn);
    return turn;
  }

  /** Keeps an ended turn for some minutes. */
  #retire(turn: BackgroundTurn): void {
    if (!this.#turns.has(turn.id)) return;
    // Moves the turn to the end of the map, so that turns are dropped in the order of their ends.
    this.#turns.delete(turn.id);
    this.#turns.set(turn.id, turn);
    const timer = setTimeout(() => void this.#forget(turn.id), this.#options.retentionMs).unref();
    this.#timers.set(turn.id, timer);
    const ended = [...this.#turns.values()].filter(({ isRunning }) => !isRunning);
    let bytes = ended.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { id, sizeBytes } of ended) {
      if (bytes <= this.#options.maxEndedBytes) break;
      bytes -= sizeBytes;
      void this.#forget(id);
    }
  }

  async #forget(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#turns.delete(id);
    const { logger } = this.#options;
    // A turn that can't be removed now is deleted later, like a turn whose process has ended.
    await this.#shared
      .remove(id)
      .catch((err: unknown) => logger.warn({ err }, 'ended background response not deleted'));
  }
}

function cancelled(): HearthError {
  return new HearthError('cancelled', 'The response was cancelled.');
}

function shuttingDown(): HearthError {
  return new HearthError('shutting_down', 'The server is stopping.');
}
