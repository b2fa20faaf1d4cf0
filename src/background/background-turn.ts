import { HearthError } from '../contract/errors.ts';
import type { TurnEvent } from '../chat/turn-event.ts';
import type { TurnRequest } from '../chat/turn-request.ts';
import { ReplayBuffer, type Numbered } from './replay-buffer.ts';

export type BackgroundStatus = 'queued' | 'inProgress' | 'completed' | 'failed' | 'cancelled';

export interface BackgroundTurnOptions {
  readonly id: string;
  /** Id of the token that started it; null if none was used. */
  readonly ownerId: string | null;
  readonly request: TurnRequest;
  /** Most bytes of events that are kept. */
  readonly maxBytes: number;
}

/** A turn that runs without its client: its events can be replayed and followed. */
export class BackgroundTurn {
  readonly id: string;
  readonly ownerId: string | null;
  readonly request: TurnRequest;
  readonly createdAt = new Date();
  readonly #buffer: ReplayBuffer<TurnEvent>;
  readonly #controller = new AbortController();
  readonly #accepted = settleable();
  readonly #ended = settleable();
  #status: BackgroundStatus = 'queued';
  #error: HearthError | undefined;
  #endedAt: Date | undefined;

  constructor({ id, ownerId, request, maxBytes }: BackgroundTurnOptions) {
    this.id = id;
    this.ownerId = ownerId;
    this.request = request;
    this.#buffer = new ReplayBuffer(maxBytes);
  }

  get status(): BackgroundStatus {
    return this.#status;
  }

  get endedAt(): Date | undefined {
    return this.#endedAt;
  }

  /** Why it failed. */
  get error(): HearthError | undefined {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#status === 'queued' || this.#status === 'inProgress';
  }

  get sizeBytes(): number {
    return this.#buffer.sizeBytes;
  }

  /** Aborts with a HearthError when the turn is cancelled or the server stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Resolves when the engine has accepted the prompt or something else takes time; until then a failure is one of
   * the request.
   *
   * @throws That failure.
   */
  get accepted(): Promise<void> {
    return this.#accepted.promise;
  }

  /** Resolves when the turn has ended and is stored. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * The events after a position, from 0, and later ones.
   *
   * @throws HearthError `response_not_found` if the next event is no longer kept; the error of a turn that failed
   *   before its first event; the signal's reason.
   */
  events(after: number, signal: AbortSignal): AsyncGenerator<Numbered<TurnEvent>> {
    return this.#buffer.read(after, signal);
  }

  /** The events of a turn that has ended, or those so far; undefined if the first ones are no longer kept. */
  recorded(): readonly TurnEvent[] | undefined {
    return this.#buffer.all();
  }

  abort(reason: HearthError): void {
    this.#controller.abort(reason);
  }

  /** Reads the events of the turn to its end; never rejects. */
  async run(events: AsyncIterable<TurnEvent>): Promise<void> {
    let failure: unknown;
    try {
      for await (const event of events) this.#record(event);
    } catch (error) {
      failure = error;
    }
    this.#end(failure);
  }

  #record(event: TurnEvent): void {
    // The turn is stored by then, and readers may see its end.
    if (event.type === 'turn.end') this.#endedAt = new Date();
    if (event.type === 'prompt.start') this.#status = 'inProgress';
    if (event.type === 'turn.error') {
      this.#error = event.error;
      this.#accepted.reject(event.error);
    }
    const isPreliminary = event.type === 'turn.start' || event.type === 'prompt.start';
    if (!isPreliminary) this.#accepted.resolve();
    this.#buffer.push(event, sizeOf(event));
  }

  #end(failure: unknown): void {
    this.#endedAt ??= new Date();
    if (failure !== undefined) this.#error = toHearthError(failure);
    if (this.signal.aborted && this.#error?.code === 'cancelled') this.#status = 'cancelled';
    else this.#status = this.#error === undefined ? 'completed' : 'failed';
    if (failure === undefined) this.#accepted.resolve();
    else this.#accepted.reject(failure);
    this.#buffer.end(failure === undefined ? undefined : this.#error);
    this.#ended.resolve();
  }
}

function toHearthError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  return new HearthError('internal', 'Something went wrong in the server; its log says more.', {
    cause: error,
  });
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
      return fixedBytes + 2 * JSON.stringify(event).length;
    case 'turn.end':
      return fixedBytes + 2 * JSON.stringify(event.result.items).length;
    default:
      return fixedBytes;
  }
}

/** A promise that may be rejected without a reader. */
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
