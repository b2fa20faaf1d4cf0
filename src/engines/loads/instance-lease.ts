import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../../contract/errors.ts';
import type {
  ChatGeneration,
  Engine,
  EngineCapabilities,
  EngineHandle,
  GenerationRequest,
  Prompt,
} from '../engine.ts';
import type { ModelSelection } from '../../models/model.ts';
import { withSignal, type RequestContext } from '../../request/request-context.ts';
import type { Instance } from './instance.ts';
import type { PromptGate } from './prompt-gate.ts';

/** A lost connection is noticed a few milliseconds before the exit of the process. */
const exitKnownWithinMs = 1000;
/** The reason of signals whose lease was released. */
const released = new Error('The lease was released.');

/** Keeps an instance loaded for one request and provides its slots. */
export interface InstanceLease {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  readonly capabilities: EngineCapabilities;
  /** The engine, for calls without a slot. */
  readonly engine: Engine;
  /**
   * The context of the request; its signal also aborts when the lease is released and, with the `HearthError` to
   * report, when the instance is unloaded or crashes.
   */
  readonly context: RequestContext;
  /**
   * Checks that a prompt fits into the context; call it before each generation. Gives the slot away while a long
   * prompt is counted.
   *
   * @throws HearthError `context_length_exceeded`, `crashed`; the reason of the context's signal.
   */
  admitPrompt(request: GenerationRequest): Promise<void>;
  /**
   * Counts the tokens of a prompt, which may exceed the context; gives the slot away.
   *
   * @throws HearthError `context_length_exceeded` for one that is too long to be counted; the errors of
   *   `Engine.countPromptTokens`.
   */
  countPrompt(request: ChatGeneration): Promise<number>;
  /**
   * Like `admitPrompt`, for texts to embed.
   *
   * @returns The texts to send to the engine.
   */
  admitInputs(inputs: readonly Prompt[]): Promise<readonly Prompt[]>;
  /**
   * Runs `work` with a slot. The first call uses the slot from `acquire`; a later call waits for a
   * slot, ahead of requests that have not begun. Between two calls other requests may use the slot.
   *
   * @throws HearthError `crashed` with the cause if the engine stopped; the errors of `work`; the reason of the
   *   context's signal.
   */
  withSlot<T>(work: (engine: Engine, context: RequestContext) => Promise<T>): Promise<T>;
  /** Like `withSlot`, for an iteration: keeps the slot until the iteration ends or the reader stops. */
  streamWithSlot<T>(
    work: (engine: Engine, context: RequestContext) => AsyncIterable<T>,
  ): AsyncGenerator<T>;
  /** Aborts running work and releases the slot and the instance. A second call does nothing. */
  release(): void;
}

/** Called when a lease has ended. */
interface LeaseOwner {
  leaseEnded(instance: Instance): void;
}

interface HeldSlot {
  release(): void;
}

/** A lease, created when a request is assigned to an instance; usable once the instance is ready. */
export class Lease implements InstanceLease {
  readonly context: RequestContext;
  readonly #instance: Instance;
  readonly #owner: LeaseOwner;
  readonly #requestSignal: AbortSignal;
  /** One controller per lease: combining a signal of the instance with each request's signal would leak listeners. */
  readonly #controller = new AbortController();
  readonly #slots = new Set<HeldSlot>();
  #workingSince: number | undefined;
  #reserved: HeldSlot | undefined;
  #isReleased = false;

  /**
   * @param context Its signal is not aborted.
   * @throws The HearthError that the instance was retired with.
   */
  constructor(instance: Instance, context: RequestContext, owner: LeaseOwner) {
    instance.addLease(this);
    this.#instance = instance;
    this.#owner = owner;
    this.#requestSignal = context.signal;
    this.context = withSignal(context, this.#controller.signal);
    context.signal.addEventListener('abort', this.#abortWithRequest);
  }

  get instanceId(): string {
    return this.#instance.id;
  }

  get selection(): ModelSelection {
    return this.#instance.selection;
  }

  get capabilities(): EngineCapabilities {
    return this.#handle.capabilities;
  }

  get engine(): Engine {
    return this.#handle.engine;
  }

  get workingSince(): number | undefined {
    return this.#workingSince;
  }

  /** Aborts the signal of the context. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Waits for the first slot and keeps it for the first `withSlot`. The promise rejects with the reason of the
   * context's signal.
   *
   * @throws HearthError `queue_full` at once; the reason of the context's signal.
   */
  reserveSlot(): Promise<void> {
    return this.#reserve(this.#instance.slots.enter(this.#clientKey, this.#signal));
  }

  async admitPrompt(request: GenerationRequest): Promise<void> {
    const gate = this.#gate;
    if (gate.isLong(request)) await this.#withoutSlot(() => gate.admit(request, this.context));
  }

  countPrompt(request: ChatGeneration): Promise<number> {
    const gate = this.#gate;
    return this.#withoutSlot(async () => {
      await gate.admitCount(request);
      return this.engine.countPromptTokens(request, this.context);
    });
  }

  async admitInputs(inputs: readonly Prompt[]): Promise<readonly Prompt[]> {
    const gate = this.#gate;
    if (!gate.areLong(inputs)) return inputs;
    return this.#withoutSlot(() => gate.admitInputs(inputs, this.context));
  }

  async withSlot<T>(work: (engine: Engine, context: RequestContext) => Promise<T>): Promise<T> {
    const slot = await this.#takeSlot();
    this.#workingSince = performance.now();
    try {
      return await work(this.engine, this.context);
    } catch (error) {
      throw await this.#failure(error);
    } finally {
      this.#workingSince = undefined;
      slot.release();
    }
  }

  async *streamWithSlot<T>(
    work: (engine: Engine, context: RequestContext) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const slot = await this.#takeSlot();
    this.#workingSince = performance.now();
    try {
      yield* work(this.engine, this.context);
    } catch (error) {
      throw await this.#failure(error);
    } finally {
      this.#workingSince = undefined;
      slot.release();
    }
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#requestSignal.removeEventListener('abort', this.#abortWithRequest);
    this.abort(released);
    for (const slot of this.#slots) slot.release();
    this.#instance.removeLease(this);
    this.#owner.leaseEnded(this.#instance);
  }

  readonly #abortWithRequest = (): void => this.abort(this.#requestSignal.reason);

  get #signal(): AbortSignal {
    return this.#controller.signal;
  }

  get #clientKey(): string {
    return this.context.caller.clientKey;
  }

  get #handle(): EngineHandle {
    const { id, handle } = this.#instance;
    if (handle === undefined) throw new Error(`${id} is not ready`);
    return handle;
  }

  get #gate(): PromptGate {
    const { id, promptGate } = this.#instance;
    if (promptGate === undefined) throw new Error(`${id} is not ready`);
    return promptGate;
  }

  /** Runs work that may take long; the reserved slot is free meanwhile. */
  async #withoutSlot<T>(work: () => Promise<T>): Promise<T> {
    this.#reserved?.release();
    this.#reserved = undefined;
    try {
      return await work();
    } catch (error) {
      throw await this.#failure(error);
    }
  }

  async #reserve(entering: Promise<void>): Promise<void> {
    await entering;
    this.#reserved = this.#hold();
  }

  async #takeSlot(): Promise<HeldSlot> {
    this.#signal.throwIfAborted();
    const reserved = this.#reserved;
    this.#reserved = undefined;
    if (reserved !== undefined) return reserved;
    await this.#instance.slots.reenter(this.#clientKey, this.#signal);
    return this.#hold();
  }

  /**
   * Accepts the slot that the queue assigned.
   *
   * @throws the signal's reason if the lease was released in the meantime; the slot is then free again.
   */
  #hold(): HeldSlot {
    const slot: HeldSlot = {
      release: () => {
        if (this.#slots.delete(slot)) this.#instance.slots.release();
      },
    };
    this.#slots.add(slot);
    if (this.#signal.aborted) {
      slot.release();
      throw this.#signal.reason;
    }
    return slot;
  }

  /**
   * Returns the error for a request whose engine failed. If the engine stopped, waits until the instance is no longer
   * listed, so that the client may retry at once; the instance's error also has the cause.
   */
  async #failure(error: unknown): Promise<unknown> {
    if (!(error instanceof HearthError) || error.code !== 'crashed') return error;
    const { signal } = this.context;
    await waitForAbort(signal, exitKnownWithinMs);
    return signal.reason instanceof HearthError ? signal.reason : error;
  }
}

async function waitForAbort(signal: AbortSignal, limitMs: number): Promise<void> {
  await delay(limitMs, undefined, { signal }).catch(() => {});
}
