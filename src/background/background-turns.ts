import { setTimeout as delay } from 'node:timers/promises';
import { runTurn } from '../chat/run-turn.ts';
import type { TurnServices } from '../chat/prepare-turn.ts';
import { newResponseId } from '../chat/response-id.ts';
import type { TurnRequest } from '../chat/turn-request.ts';
import { HearthError } from '../contract/errors.ts';
import { withSignal, type RequestContext } from '../request/request-context.ts';
import { BackgroundTurn } from './background-turn.ts';

export interface BackgroundTurnsOptions {
  /** Most turns that run at the same time (`limits.backgroundResponses`). */
  readonly maxRunning: number;
  /** Time for which the events of a turn are kept after its end. */
  readonly retentionMs?: number;
  /** Most bytes of events of one turn. */
  readonly maxTurnBytes?: number;
  /** Most bytes of events of turns that have ended; the oldest turns are forgotten first. */
  readonly maxEndedBytes?: number;
}

const mebibyte = 1024 * 1024;
/** Longest wait for a turn to be accepted, such as behind other requests. */
const longestWaitMs = 1000;

/** The turns that outlive the requests that started them, until some minutes after their end. */
export class BackgroundTurns {
  readonly #options: Required<BackgroundTurnsOptions>;
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
  }

  /**
   * Starts a turn that continues without its client, and waits shortly for the engine to accept it.
   *
   * @throws HearthError `queue_full` if too many turns run; `shutting_down`; the errors of `runTurn` before the
   *   engine has accepted the prompt.
   */
  async start(
    services: TurnServices,
    request: TurnRequest,
    context: RequestContext,
  ): Promise<BackgroundTurn> {
    const turn = this.#add(request, context.caller.tokenId);
    const events = runTurn(services, turn.request, withSignal(context, turn.signal));
    void turn.run(events).then(() => this.#retire(turn));
    const waited = new AbortController();
    const isLate = delay(longestWaitMs, undefined, { signal: waited.signal }).catch(() => {});
    try {
      await Promise.race([turn.accepted, isLate]);
    } catch (error) {
      await turn.ended;
      this.#forget(turn.id);
      // The client gets the error, and no response.
      await services.store.responses.delete(turn.id, turn.ownerId);
      throw error;
    } finally {
      waited.abort();
    }
    return turn;
  }

  /** A turn that this caller started, or that was started without a token. */
  find(id: string, callerId: string | null): BackgroundTurn | undefined {
    const turn = this.#turns.get(id);
    return turn?.ownerId === null || turn?.ownerId === callerId ? turn : undefined;
  }

  /**
   * Ends a turn and stores what it has produced; no effect if it has ended.
   *
   * @returns The turn after its end; undefined if this caller did not start it.
   */
  async cancel(id: string, callerId: string | null): Promise<BackgroundTurn | undefined> {
    const turn = this.#turns.get(id);
    if (turn === undefined || turn.ownerId !== callerId) return undefined;
    turn.abort(new HearthError('cancelled', 'The response was cancelled.'));
    await turn.ended;
    return turn;
  }

  /**
   * Forgets a turn of this caller, since its response is deleted.
   *
   * @throws HearthError `conflict` if it still runs.
   */
  remove(id: string, callerId: string | null): void {
    const turn = this.#turns.get(id);
    if (turn === undefined || turn.ownerId !== callerId) return;
    if (turn.isRunning) {
      throw new HearthError('conflict', `The response ${id} is still running. Cancel it first.`);
    }
    this.#forget(id);
  }

  /** Ends all turns, which are stored with what they have produced, and rejects new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#turns.values()].filter(({ isRunning }) => isRunning);
    for (const turn of running) turn.abort(shuttingDown());
    await Promise.all(running.map(({ ended }) => ended));
    for (const id of this.#turns.keys()) this.#forget(id);
  }

  #add(request: TurnRequest, ownerId: string | null): BackgroundTurn {
    if (this.#isClosed) throw shuttingDown();
    const { maxRunning, maxTurnBytes } = this.#options;
    const running = [...this.#turns.values()].filter(({ isRunning }) => isRunning);
    if (running.length >= maxRunning) {
      throw new HearthError(
        'queue_full',
        `${maxRunning} responses run in the background, which is the limit (limits.backgroundResponses). Try again later.`,
        { retryAfterSeconds: 5 },
      );
    }
    const { responseId: id = newResponseId() } = request;
    const turn = new BackgroundTurn({
      id,
      ownerId,
      request: { ...request, responseId: id, isStored: true, isBackground: true },
      maxBytes: maxTurnBytes,
    });
    this.#turns.set(id, turn);
    return turn;
  }

  /** Keeps an ended turn for some minutes. */
  #retire(turn: BackgroundTurn): void {
    if (!this.#turns.has(turn.id)) return;
    // Moved to the end, so that the turns that ended first are forgotten first.
    this.#turns.delete(turn.id);
    this.#turns.set(turn.id, turn);
    const timer = setTimeout(() => this.#forget(turn.id), this.#options.retentionMs).unref();
    this.#timers.set(turn.id, timer);
    const ended = [...this.#turns.values()].filter(({ isRunning }) => !isRunning);
    let bytes = ended.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { id, sizeBytes } of ended) {
      if (bytes <= this.#options.maxEndedBytes) break;
      bytes -= sizeBytes;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#turns.delete(id);
  }
}

function shuttingDown(): HearthError {
  return new HearthError('shutting_down', 'The server is stopping.');
}
