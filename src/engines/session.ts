import { HearthError } from '../kernel/errors/errors.ts';
import type { Phase } from '../kernel/request/request-record.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type {
  ChatGeneration,
  Embeddings,
  Engine,
  GenerationRequest,
  Prompt,
  Relevance,
} from './engine.ts';
import { CacheFullError } from './cache-full-error.ts';
import { GenerationAccount, type CutEvent } from './generation-account.ts';
import { inPieces } from './in-pieces.ts';
import { withAdapters } from './loads/adapters.ts';
import type { OpenRequest } from './loads/open-request.ts';
import { EngineLost } from './loads/refusal.ts';
import type { Lease } from './loads/instance-lease.ts';
import type { Place } from './scheduler/place.ts';
import type { Waiting } from './scheduler/scheduler.ts';
import { SlotRun } from './scheduler/slot-run.ts';
import type { LoadEvent, QueuedEvent, SessionEvent } from './session-event.ts';
import {
  joinLoad,
  startUnmanaged,
  whileWaiting,
  type JoinedLoad,
  type SessionHost,
} from './session-wait.ts';

/** A generation fails if the cache of the engine was full more often. */
const mostFullCaches = 8;

/**
 * One request's use of a model: its instance, its place in the queue, and its slot while it generates. A session
 * continues on another instance if the memory guard ended the engine because of another request.
 */
export class Session {
  readonly #host: SessionHost;
  #request: OpenRequest;
  readonly #context: RequestContext;
  /**
   * The instance, and the context of its work, whose signal also aborts when the session is closed or the instance ends.
   * Another lease after a repetition.
   */
  lease: Lease;
  /** Present if the request waited for a load. */
  loadTimeSeconds: number | undefined;
  #waiting: Waiting | undefined;
  #load: JoinedLoad | undefined;
  #startedAt: number | undefined = performance.now();
  #isRepeated = false;

  /**
   * Chooses an instance and enters its queue.
   *
   * @throws The errors of `SessionHost.lease`; HearthError `queue_full`.
   */
  constructor(host: SessionHost, request: OpenRequest, context: RequestContext) {
    this.#host = host;
    this.#request = request;
    this.#context = context;
    this.lease = this.#open();
    const { adapters } = this.lease.instance.config;
    // If the session moves to another instance, it keeps the default adapters of its first instance.
    if (adapters !== undefined && request.target.adapters === undefined) {
      this.#request = { ...request, target: { ...request.target, adapters } };
    }
  }

  /** True if the request waits for a load. */
  get isLoading(): boolean {
    return this.#load !== undefined;
  }

  /** Settles when the request has its place, which may be while the model still loads. */
  get placed(): Promise<unknown> {
    return this.#waiting?.place ?? Promise.resolve();
  }

  /**
   * Waits for the model's load, and for a place in the instance's queue.
   *
   * @throws The error of the load; `model_loading` if the load takes longer than the request waits; `queue_full` if
   *   another request displaced this one; the reason of the context's signal.
   */
  async *ready(): AsyncGenerator<QueuedEvent | LoadEvent, void, void> {
    for (;;) {
      try {
        if (this.#load !== undefined) yield* this.#followLoad(this.#load);
        const waiting = this.#waiting;
        if (waiting?.position !== undefined) yield* whileWaiting(waiting, waiting.place);
        await this.#takePlace();
        return;
      } catch (error) {
        if (!this.#mayRepeat(error, false)) throw this.#failed(error);
        this.#reopen();
      }
    }
  }

  async *#followLoad({ progress, loaded }: JoinedLoad): AsyncGenerator<LoadEvent, void, void> {
    const { instance } = this.lease;
    const instanceId = instance.id;
    yield { type: 'load.start', instanceId };
    for await (const fraction of progress) yield { type: 'load.progress', instanceId, fraction };
    await loaded;
    const { loadTimeSeconds } = instance;
    this.#load = undefined;
    this.loadTimeSeconds = loadTimeSeconds;
    this.#startedAt = performance.now();
    yield { type: 'load.end', instanceId, loadTimeSeconds };
  }

  /**
   * Generates text. If the engine is lost before the client has seen any output, tries once more on another instance.
   * Ending the iteration early stops the engine.
   *
   * @throws HearthError `context_length_exceeded`; the errors of `ready` and `Engine.generate`.
   */
  async *generate(request: GenerationRequest): AsyncGenerator<SessionEvent, void, void> {
    const { promptGate } = this.lease.loaded;
    if (promptGate.isLong(request)) {
      await this.#withoutPlace(() => promptGate.admit(request, this.lease.context));
    }
    const { adapters } = this.#request.target;
    const adapted = adapters === undefined ? request : withAdapters(request, adapters);
    const account = new GenerationAccount(adapted, this.#startedAt, this.#host.promptMemory);
    this.#startedAt = undefined;
    // Events for a client that gets only the whole result are held, so that the generation may be repeated.
    const held: SessionEvent[] | undefined = this.#request.isWhole === true ? [] : undefined;
    const reported = (cut: CutEvent): readonly SessionEvent[] => {
      const event = { type: cut.type, report: account.cut(cut) };
      if (held === undefined) return [event];
      held.push(event);
      return [];
    };
    let hasBegun = false;
    let fullCount = 0;
    try {
      for (;;) {
        const lease = this.lease;
        let run: SlotRun | undefined;
        let isContinued = false;
        let cut: CutEvent | undefined;
        try {
          if (lease.place === undefined) yield* this.#enter();
          const place = await this.#takePlace();
          const { slotManager, engine } = lease.loaded;
          run = slotManager && new SlotRun(place, slotManager, account, lease.context);
          await slotManager?.interruptIdle();
          const starting = run === undefined ? startUnmanaged(place, lease) : run.start();
          if (place.state === 'ready') yield* whileWaiting(place, starting);
          await starting;
          const context = run?.context ?? lease.context;
          await account.begin(engine, context);
          if (!hasBegun) yield { type: 'prompt.start' };
          hasBegun = true;
          if (run !== undefined && place.isReader) {
            for await (const event of run.prefill()) {
              account.note(event);
              yield event;
            }
          }
          for await (const raw of engine.generate(run?.request ?? adapted, context)) {
            const event = run === undefined ? raw : run.accept(raw);
            if (event === undefined) continue;
            if (event.type === 'generation.end') {
              const report = await account.end(event, engine, context);
              if (held !== undefined) yield* held;
              yield { type: 'generation.report', report };
            } else if (event.type === 'generation.cut') {
              cut = event;
            } else {
              account.note(event);
              if (held === undefined) yield event;
              else held.push(event);
            }
          }
          if (cut !== undefined) yield* reported(cut);
          return;
        } catch (error) {
          if (error instanceof CacheFullError && (fullCount += 1) <= mostFullCaches) {
            run?.continueLater();
          }
          isContinued = run?.isPaused === true && !lease.signal.aborted;
          if (isContinued) {
            if (cut !== undefined) account.pause(cut);
          } else {
            if (cut !== undefined) yield* reported(cut);
            const failure = await this.#failureOf(error, account.hasOutput);
            if (failure !== undefined) {
              if (held !== undefined) yield* held;
              throw failure.error;
            }
            account.restart();
            held?.splice(0);
          }
        } finally {
          run?.end();
          if (!isContinued) lease.leave();
        }
        if (this.lease.signal.aborted) {
          this.#reopen();
          yield* this.ready();
        }
      }
    } finally {
      account.close(this.lease.context);
    }
  }

  /**
   * Embeds texts, in pieces.
   *
   * @throws The errors of `Engine.embed`; otherwise like `generate`.
   */
  async embed(inputs: readonly Prompt[]): Promise<Embeddings> {
    const admitted = await this.#admitInputs(inputs);
    const { parts, promptTokens } = await inPieces(this.#context, 'embedding', admitted, (piece) =>
      this.withPlace((engine, context) => engine.embed(piece, context)),
    );
    return { vectors: parts.flatMap(({ vectors }) => vectors), promptTokens };
  }

  /**
   * Scores documents by their relevance to a query, in pieces.
   *
   * @throws The errors of `Engine.rank`; otherwise like `generate`.
   */
  async rank(query: string, documents: readonly string[]): Promise<Relevance> {
    const inputs = await this.#admitInputs([query, ...documents]);
    const [ownQuery = '', ...admitted] = inputs.map(String);
    const { parts, promptTokens } = await inPieces(this.#context, 'rerank', admitted, (piece) =>
      this.withPlace((engine, context) => engine.rank(ownQuery, piece, context)),
    );
    const isNormalized = parts.every((part) => part.isNormalized === true);
    return { scores: parts.flatMap(({ scores }) => scores), isNormalized, promptTokens };
  }

  /**
   * Counts the tokens of a prompt, which may exceed the context.
   *
   * @throws HearthError `context_length_exceeded` for a prompt that is too long to be counted; the errors of
   *   `Engine.countPromptTokens`.
   */
  async countPrompt(request: ChatGeneration): Promise<number> {
    const { promptGate, engine } = this.lease.loaded;
    return this.#withoutPlace(async () => {
      await promptGate.admitCount(request);
      return engine.countPromptTokens(request, this.lease.context);
    });
  }

  /** Counts the tokens of a text, without special tokens. */
  countTokens(text: string): Promise<number> {
    return this.lease.loaded.engine.countTokens(text, this.lease.context);
  }

  /** Aborts running work and gives the instance back. A second call does nothing. */
  close(): void {
    this.lease.release();
  }

  #open(): Lease {
    const { promptPrefix = '', waitsForLoad = false } = this.#request;
    this.#waiting = undefined;
    const lease = this.#host.lease(this.#request, this.#context);
    const phase = this.#context.record.beginPhase({ name: 'queue' });
    try {
      const waiting = lease.enter('first');
      if (waiting.granted === undefined) this.#awaitPlace(waiting, lease, phase);
      else phase.end();
      lease.instance.prompts.add(promptPrefix);
      if (lease.instance.load !== undefined) this.#load = joinLoad(this.#host, lease, waitsForLoad);
      return lease;
    } catch (error) {
      phase.end({ hasFailed: true });
      lease.release();
      throw error;
    }
  }

  #awaitPlace(waiting: Waiting, lease: Lease, phase: Phase): void {
    this.#waiting = waiting;
    waiting.place.then(
      () => phase.end(),
      (error: unknown) => {
        phase.end({ hasFailed: true });
        // A request that is displaced from the queue must also stop waiting for the load.
        lease.abort(error);
      },
    );
  }

  #reopen(): void {
    this.#isRepeated = true;
    this.lease.release();
    this.lease = this.#open();
  }

  #failed(error: unknown): unknown {
    if (error instanceof HearthError) this.#context.record.fail(error);
    return error;
  }

  /** The error to throw after work on the engine has failed; undefined if the work may be repeated. */
  async #failureOf(
    cause: unknown,
    hasOutput: boolean,
  ): Promise<{ readonly error: unknown } | undefined> {
    const error = await this.lease.failure(cause);
    return this.#mayRepeat(error, hasOutput) ? undefined : { error: this.#failed(error) };
  }

  /** True if the work may be repeated, once, because its engine was lost. */
  #mayRepeat(error: unknown, hasOutput: boolean): boolean {
    if (!(error instanceof EngineLost) || !error.isRepeatable || this.#isRepeated) return false;
    return !hasOutput || this.#request.isWhole === true;
  }

  async *#enter(): AsyncGenerator<QueuedEvent, void, void> {
    const waiting = (this.#waiting = this.lease.enter('again'));
    if (waiting.position !== undefined) yield* whileWaiting(waiting, waiting.place);
  }

  async #takePlace(): Promise<Place> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    await waiting?.place;
    const { place, signal } = this.lease;
    signal.throwIfAborted();
    if (place === undefined) throw new Error('no place');
    return place;
  }

  /** Checks a prompt or inputs without a place, since the check may take long. */
  async #withoutPlace<Result>(check: () => Promise<Result>): Promise<Result> {
    const lease = this.lease;
    lease.leave();
    try {
      return await check();
    } catch (error) {
      throw await lease.failure(error);
    }
  }

  async #admitInputs(inputs: readonly Prompt[]): Promise<readonly Prompt[]> {
    const { promptGate } = this.lease.loaded;
    if (!promptGate.areLong(inputs)) return inputs;
    return this.#withoutPlace(() => promptGate.admitInputs(inputs, this.lease.context));
  }

  /** Runs a call whose result is not a stream. */
  async withPlace<Result>(
    work: (engine: Engine, context: RequestContext) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const lease = this.lease;
      try {
        if (lease.place === undefined) this.#waiting ??= lease.enter('turn');
        const place = await this.#takePlace();
        await startUnmanaged(place, lease);
        return await work(lease.loaded.engine, lease.context);
      } catch (error) {
        const failure = await this.#failureOf(error, false);
        if (failure !== undefined) throw failure.error;
      } finally {
        lease.leave();
      }
      this.#reopen();
      for await (const _ of this.ready());
    }
  }
}
