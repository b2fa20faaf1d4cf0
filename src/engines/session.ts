import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelSelection } from '../library/model.ts';
import type { Operation } from '../telemetry/request-record.ts';
import type { RequestContext } from '../telemetry/request-context.ts';
import type {
  ChatGeneration,
  Embeddings,
  Engine,
  EngineCapabilities,
  GenerationRequest,
  Prompt,
  Relevance,
} from './engine.ts';
import { GenerationAccount } from './generation-account.ts';
import { withAdapters, withInstanceAdapters } from './loads/adapters.ts';
import type { OpenRequest } from './loads/open-request.ts';
import { EngineLost } from './loads/refusal.ts';
import type { Lease } from './loads/instance-lease.ts';
import type { PromptGate } from './loads/prompt-gate.ts';
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

/** Inputs that are embedded or ranked at once; other requests run between two pieces. */
const unaryPiece = 32;

/**
 * One request's use of a model: its instance, its place in the queue, and its slot while it generates. A session
 * continues on another instance if the memory guard ended the engine because of another request.
 */
export class Session {
  readonly #host: SessionHost;
  #request: OpenRequest;
  readonly #context: RequestContext;
  #lease: Lease;
  #waiting: Waiting | undefined;
  #load: JoinedLoad | undefined;
  #startedAt: number | undefined = performance.now();
  #loadTimeSeconds: number | undefined;
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
    this.#lease = this.#open();
    this.#request = withInstanceAdapters(request, this.#lease.instance.config);
  }

  get instanceId(): string {
    return this.#lease.instance.id;
  }

  get selection(): ModelSelection {
    return this.#lease.instance.selection;
  }

  /** Capabilities of the engine, once `ready` has ended. */
  get capabilities(): EngineCapabilities {
    return this.#lease.loaded.capabilities;
  }

  /** Its signal also aborts when the session is closed, or its instance ends. */
  get context(): RequestContext {
    return this.#lease.context;
  }

  /** True if the request waits for a load. */
  get isLoading(): boolean {
    return this.#load !== undefined;
  }

  /** Present if the request waited for a load. */
  get loadTimeSeconds(): number | undefined {
    return this.#loadTimeSeconds;
  }

  /** Settles when the request has its place, perhaps while the model still loads. */
  get placed(): Promise<unknown> {
    return this.#waiting?.place ?? Promise.resolve();
  }

  /**
   * Waits for the model's load, and for a place in its queue.
   *
   * @throws The error of the load; `model_loading` if it takes longer than the request waits; `queue_full` if another
   *   request displaced this one; the reason of the context's signal.
   */
  async *ready(): AsyncGenerator<QueuedEvent | LoadEvent, void, void> {
    for (;;) {
      try {
        return yield* this.#becomeReady();
      } catch (error) {
        if (!this.#mayRepeat(error, false)) throw this.#failed(error);
        this.#reopen();
      }
    }
  }

  async *#becomeReady(): AsyncGenerator<QueuedEvent | LoadEvent, void, void> {
    const { instance } = this.#lease;
    const instanceId = instance.id;
    if (this.#load !== undefined) {
      const { progress, loaded } = this.#load;
      yield { type: 'load.start', instanceId };
      for await (const fraction of progress) yield { type: 'load.progress', instanceId, fraction };
      await loaded;
      const { loadTimeSeconds } = instance;
      this.#load = undefined;
      this.#loadTimeSeconds = loadTimeSeconds;
      this.#startedAt = performance.now();
      yield { type: 'load.end', instanceId, loadTimeSeconds };
    }
    const waiting = this.#waiting;
    if (waiting?.position !== undefined) yield* whileWaiting(waiting, waiting.place);
    await this.#takePlace();
  }

  /**
   * Generates text, once more on another instance if the engine was lost before the client saw any of it. Ending the
   * iteration early stops the engine.
   *
   * @throws HearthError `context_length_exceeded`; the errors of `ready` and `Engine.generate`.
   */
  async *generate(request: GenerationRequest): AsyncGenerator<SessionEvent, void, void> {
    await this.#admit(
      (gate) => gate.isLong(request),
      (gate) => gate.admit(request, this.context),
    );
    const adapted = withAdapters(request, this.#request.target);
    const account = new GenerationAccount(adapted, this.#startedAt, this.#host.promptMemory);
    this.#startedAt = undefined;
    // A client that gets the result at its end may get the result of another instance.
    const held: SessionEvent[] | undefined = this.#request.isWhole === true ? [] : undefined;
    let hasBegun = false;
    try {
      for (;;) {
        const lease = this.#lease;
        let run: SlotRun | undefined;
        let isContinued = false;
        try {
          if (lease.place === undefined) yield* this.#enter();
          const place = await this.#takePlace();
          const { managed, engine } = lease.loaded;
          run = managed && new SlotRun(place, managed, account, lease.context);
          await run?.prepare();
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
              if (event.type === 'prompt.progress') yield event;
            }
          }
          for await (const raw of engine.generate(run?.request ?? adapted, context)) {
            const event = run?.accept(raw) ?? raw;
            if (event.type === 'generation.end') {
              const report = await account.end(event, engine, context);
              if (held !== undefined) yield* held;
              yield { type: 'generation.report', report };
            } else if (event.type === 'generation.cut' && run?.isPaused === true) {
              account.pause(event);
            } else {
              const isCut = event.type === 'generation.cut';
              if (!isCut) account.note(event);
              const shown = isCut ? { type: event.type, report: account.cut(event) } : event;
              if (held === undefined) yield shown;
              else held.push(shown);
            }
          }
          return;
        } catch (error) {
          isContinued = run?.isPaused === true && !lease.signal.aborted;
          if (!isContinued) {
            const failure = await lease.failure(error);
            if (!this.#mayRepeat(failure, account.hasOutput)) {
              if (held !== undefined) yield* held;
              throw this.#failed(failure);
            }
            account.restart();
            held?.splice(0);
          }
        } finally {
          run?.end();
          if (!isContinued) lease.leave();
        }
        if (this.#lease.signal.aborted) {
          this.#reopen();
          yield* this.ready();
        }
      }
    } finally {
      account.close(this.context);
    }
  }

  /**
   * Embeds texts, in pieces.
   *
   * @throws The errors of `Engine.embed`, as `generate`.
   */
  async embed(inputs: readonly Prompt[]): Promise<Embeddings> {
    const admitted = await this.#admitInputs(inputs);
    const parts = await this.#inPieces('embedding', admitted, (engine, piece, context) =>
      engine.embed(piece, context),
    );
    return { vectors: parts.flatMap(({ vectors }) => vectors), promptTokens: tokensOf(parts) };
  }

  /**
   * Scores documents by their relevance to a query, in pieces.
   *
   * @throws The errors of `Engine.rank`, as `generate`.
   */
  async rank(query: string, documents: readonly string[]): Promise<Relevance> {
    const inputs = await this.#admitInputs([query, ...documents]);
    const [ownQuery = '', ...admitted] = inputs.map(String);
    const parts = await this.#inPieces('rerank', admitted, (engine, piece, context) =>
      engine.rank(ownQuery, piece, context),
    );
    return { scores: parts.flatMap(({ scores }) => scores), promptTokens: tokensOf(parts) };
  }

  /**
   * Counts the tokens of a prompt, which may exceed the context.
   *
   * @throws HearthError `context_length_exceeded` for one that is too long to be counted; the errors of
   *   `Engine.countPromptTokens`.
   */
  async countPrompt(request: ChatGeneration): Promise<number> {
    let count = 0;
    await this.#admit(
      () => true,
      async (gate) => {
        await gate.admitCount(request);
        count = await this.#lease.loaded.engine.countPromptTokens(request, this.context);
      },
    );
    return count;
  }

  /** Counts the tokens of a text, without special tokens. */
  countTokens(text: string): Promise<number> {
    return this.#lease.loaded.engine.countTokens(text, this.context);
  }

  /** Aborts running work and gives the instance back. A second call does nothing. */
  close(): void {
    this.#lease.release();
  }

  #open(): Lease {
    const { promptPrefix = '', waitsForLoad = false } = this.#request;
    const lease = this.#host.lease(this.#request, this.#context);
    const phase = this.#context.record.beginPhase({ name: 'queue' });
    try {
      const waiting = lease.enter('first');
      waiting.place.then(
        () => phase.end(),
        (error: unknown) => {
          phase.end({ hasFailed: true });
          // A request that is displaced from the queue stops waiting for the load as well.
          lease.abort(error);
        },
      );
      lease.instance.addPrompt(promptPrefix);
      this.#waiting = waiting;
      if (lease.instance.load !== undefined) this.#load = joinLoad(this.#host, lease, waitsForLoad);
      return lease;
    } catch (error) {
      phase.end({ hasFailed: true });
      lease.release();
      throw error;
    }
  }

  #reopen(): void {
    this.#isRepeated = true;
    this.#lease.release();
    this.#lease = this.#open();
  }

  #failed(error: unknown): unknown {
    if (error instanceof HearthError) this.#context.record.fail(error);
    return error;
  }

  /** True if the work may be repeated after its engine was lost, once. */
  #mayRepeat(error: unknown, hasOutput: boolean): boolean {
    if (!(error instanceof EngineLost) || !error.isRepeatable || this.#isRepeated) return false;
    return !hasOutput || this.#request.isWhole === true;
  }

  async *#enter(): AsyncGenerator<QueuedEvent, void, void> {
    const waiting = (this.#waiting = this.#lease.enter('again'));
    if (waiting.position !== undefined) yield* whileWaiting(waiting, waiting.place);
  }

  async #takePlace(): Promise<Place> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const place = (await waiting?.place) ?? this.#lease.place;
    if (place === undefined) throw new Error('no place');
    return place;
  }

  /** Checks a prompt or an input, without a place if that takes long. */
  async #admit(
    isLong: (gate: PromptGate) => boolean,
    check: (gate: PromptGate) => Promise<unknown>,
  ): Promise<void> {
    const lease = this.#lease;
    if (!isLong(lease.promptGate)) return;
    lease.leave();
    try {
      await check(lease.promptGate);
    } catch (error) {
      throw await lease.failure(error);
    }
  }

  async #admitInputs(inputs: readonly Prompt[]): Promise<readonly Prompt[]> {
    let admitted = inputs;
    await this.#admit(
      (gate) => gate.areLong(inputs),
      async (gate) => {
        admitted = await gate.admitInputs(inputs, this.context);
      },
    );
    return admitted;
  }

  /** Runs calls without a stream, each with a place of its own. */
  async #inPieces<Input, Result extends { readonly promptTokens: number }>(
    operation: Operation,
    inputs: readonly Input[],
    run: (engine: Engine, piece: readonly Input[], context: RequestContext) => Promise<Result>,
  ): Promise<readonly Result[]> {
    const parts: Result[] = [];
    const record = this.#context.record.beginGeneration(operation);
    try {
      for (let start = 0; start < Math.max(1, inputs.length); start += unaryPiece) {
        const piece = inputs.slice(start, start + unaryPiece);
        parts.push(await this.withPlace((engine, context) => run(engine, piece, context)));
      }
      record.end({ usage: { promptTokens: tokensOf(parts) } });
      return parts;
    } finally {
      record.end({ hasFailed: true });
    }
  }

  /** Runs a call without a stream. */
  async withPlace<Result>(
    work: (engine: Engine, context: RequestContext) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const lease = this.#lease;
      try {
        if (lease.place === undefined) this.#waiting ??= lease.enter('turn');
        const place = await this.#takePlace();
        await startUnmanaged(place, lease);
        return await work(lease.loaded.engine, lease.context);
      } catch (error) {
        const failure = await lease.failure(error);
        if (!this.#mayRepeat(failure, false)) throw this.#failed(failure);
      } finally {
        lease.leave();
      }
      this.#reopen();
      for await (const _ of this.ready());
    }
  }
}

function tokensOf(parts: readonly { readonly promptTokens: number }[]): number {
  return parts.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
}
