import { HearthError } from '../../kernel/errors/errors.ts';
import type { TurnEvent } from '../turn-event.ts';
import type { EndedStatus } from '../../store/shared/background-turn.ts';
import type { FollowableTurn, TurnHead } from './followable-turn.ts';
import { ReplayBuffer, type Numbered } from './replay-buffer.ts';

type BackgroundStatus = 'queued' | 'inProgress' | EndedStatus;

export interface BackgroundTurnOptions {
  readonly id: string;
  /** Id of the token that started it; null if none was used. */
  readonly ownerId: string | null;
  readonly head: TurnHead;
  /** Maximum bytes of stored events. */
  readonly maxBytes: number;
  readonly onEvent: (event: TurnEvent) => void;
}

/** A turn that runs without its client: its events can be replayed and followed. */
export class BackgroundTurn implements FollowableTurn {
  readonly id: string;
  readonly ownerId: string | null;
  readonly head: TurnHead;
  readonly createdAt = new Date();
  readonly #buffer: ReplayBuffer<TurnEvent>;
  readonly #onEvent: (event: TurnEvent) => void;
  readonly #controller = new AbortController();
  readonly #accepted = settleable();
  readonly #ended = settleable();
  #status: BackgroundStatus = 'queued';
  #error: HearthError | undefined;
  #endedAt: Date | undefined;
  readonly #headBytes: number;

  constructor({ id, ownerId, head, maxBytes, onEvent }: BackgroundTurnOptions) {
    this.id = id;
    this.ownerId = ownerId;
    this.head = head;
    this.#onEvent = onEvent;
    this.#headBytes = 2 * JSON.stringify(head).length;
    this.#buffer = new ReplayBuffer(maxBytes);
  }

  get status(): BackgroundStatus {
    return this.#status;
  }

  get endedAt(): Date | undefined {
    return this.#endedAt;
  }

  /** The error if the turn failed. */
  get error(): HearthError | undefined {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#status === 'queued' || this.#status === 'inProgress';
  }

  /** Approximate memory of the events and the turn's description. */
  get sizeBytes(): number {
    return this.#buffer.sizeBytes + this.#headBytes;
  }

  /** Aborts with a HearthError if the turn is canceled or the server stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Resolves when the engine has accepted the prompt, or another event shows that this takes time. Earlier failures are
   * errors of the request.
   *
   * @throws The earlier failure.
   */
  get accepted(): Promise<void> {
    return this.#accepted.promise;
  }

  /** Resolves when the turn has ended and is stored. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  events(after: number, signal: AbortSignal): AsyncGenerator<Numbered<TurnEvent>> {
    return this.#buffer.read(after, signal);
  }

  async recorded(): Promise<readonly TurnEvent[] | undefined> {
    return this.#buffer.all();
  }

  abort(reason: HearthError): void {
    this.#controller.abort(reason);
  }

  /**
   * Reads the events of the turn to its end; never rejects.
   *
   * @param onLast Called after the last event, before the turn counts as ended; does not reject.
   */
  async run(events: AsyncIterable<TurnEvent>, onLast: () => Promise<void>): Promise<void> {
    let failure: unknown;
    try {
      for await (const event of events) this.#record(event);
    } catch (error) {
      failure = error;
    }
    this.#settle(failure);
    await onLast();
    this.#ended.resolve();
  }

  #record(event: TurnEvent): void {
    // The turn is stored at this point, and readers may see its end.
    if (event.type === 'turn.end') this.#endedAt = new Date();
    if (event.type === 'prompt.start') this.#status = 'inProgress';
    if (event.type === 'turn.error') {
      this.#error = event.error;
      this.#accepted.reject(event.error);
    }
    const isPreliminary = event.type === 'turn.start' || event.type === 'prompt.start';
    if (!isPreliminary) this.#accepted.resolve();
    this.#buffer.push(event, sizeOf(event));
    this.#onEvent(event);
  }

  #settle(failure: unknown): void {
    this.#endedAt ??= new Date();
    if (failure !== undefined) this.#error = toHearthError(failure);
    if (this.signal.aborted && this.#error?.code === 'cancelled') this.#status = 'cancelled';
    else this.#status = this.#error === undefined ? 'completed' : 'failed';
    if (failure === undefined) this.#accepted.resolve();
    else this.#accepted.reject(failure);
    this.#buffer.end(failure === undefined ? undefined : this.#error);
  }
}

function toHearthError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  return new HearthError(
    'internal',
    'An unexpected error occurred; the log of the server has the details.',
    {
      cause: error,
    },
  );
}

/** Approximate size in memory. */
function sizeOf(event: TurnEvent): number {
  const fixedBytes = 200;
  switch (event.type) {
    case 'message.delta': {
      const alternatives = event.logprobs?.reduce((sum, each) => sum + each.topLogprobs.length, 0);
      return fixedBytes + 2 * event.text.length + fixedBytes * (alternatives ?? 0);
    }
    case 'reasoning.delta':
    case 'message.end':
    case 'reasoning.end':
      return fixedBytes + 2 * event.text.length;
    case 'toolCall.delta':
      return fixedBytes + 2 * event.argumentsJson.length;
    case 'toolCall.success':
    case 'toolCall.failure':
    case 'toolCall.end':
    case 'toolCall.arguments':
    case 'toolCall.approvalStart':
      return fixedBytes + 2 * JSON.stringify(event).length;
    case 'turn.end':
      return fixedBytes + 2 * JSON.stringify(event.result.items).length;
    default:
      return fixedBytes;
  }
}

/** A promise that causes no unhandled rejection if nothing awaits it. */
function settleable() {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
