import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../../kernel/errors/errors.ts';
import { withSignal, type RequestContext } from '../../kernel/request/request-context.ts';
import type { Place } from '../scheduler/place.ts';
import type { Waiting } from '../scheduler/scheduler.ts';
import { cured, waitedInQueue } from './refusal.ts';
import type { Instance, ReadyEngine } from './instance.ts';

/** Time limit for learning the exit of a process, which is noticed a few milliseconds after the lost connection. */
const exitKnownWithinMs = 1000;
/** Abort reason for the signal of a released lease. */
const released = new Error('The lease was released.');

/** Keeps an instance loaded for one request, and holds the request's place in its queue. */
export class Lease {
  readonly instance: Instance;
  /**
   * The context of the request. Its signal also aborts when the lease is released, or when the instance is unloaded
   * or crashes; the reason is then the `HearthError` to report.
   */
  readonly context: RequestContext;
  readonly #requestSignal: AbortSignal;
  /** One controller per lease. Combining a signal of the instance with each request's signal would leak listeners. */
  readonly #controller = new AbortController();
  /** The signal of the context. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** The request's place; undefined if it has none. */
  place: Place | undefined;
  #isReleased = false;
  readonly #maxWaitSeconds: number | undefined;

  /**
   * @param context Its signal must not be aborted yet.
   * @param maxWaitSeconds Time limit for the wait for the first place, after which it fails with `queue_full`.
   * @throws The HearthError that the instance was retired with.
   */
  constructor(instance: Instance, context: RequestContext, maxWaitSeconds?: number) {
    instance.addLease(this);
    this.instance = instance;
    this.#maxWaitSeconds = maxWaitSeconds;
    this.#requestSignal = context.signal;
    this.context = withSignal(context, this.signal);
    context.signal.addEventListener('abort', this.#abortWithRequest);
  }

  /** The engine, once it is loaded. */
  get loaded(): ReadyEngine {
    const { id, handle } = this.instance;
    if (handle === undefined) throw new Error(`${id} is not ready`);
    return handle;
  }

  /** When the request took its current slot, as a value of `performance.now()`; undefined without a slot. */
  get workingSince(): number | undefined {
    return this.place?.runningSince;
  }

  /** Aborts the signal of the context. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Waits for a place, and keeps it.
   *
   * @param order `first`: for a new request; `again`: ahead of requests that have not begun; `turn`: behind them like
   *   a new request, but the queue's maximum does not apply.
   * @throws The errors of `Scheduler.enter`.
   */
  enter(order: 'first' | 'again' | 'turn'): Waiting {
    const { scheduler } = this.instance;
    const { clientKey } = this.context.caller;
    const waiting =
      order === 'first'
        ? scheduler.enter(clientKey, this.signal)
        : scheduler.reenter(clientKey, this.signal, { isAhead: order === 'again' });
    this.place = waiting.granted;
    if (waiting.granted !== undefined) return waiting;
    const place = waiting.place.then((assigned) => {
      if (this.signal.aborted) {
        assigned.leave();
        throw this.signal.reason;
      }
      this.place = assigned;
      return assigned;
    });
    place.catch(() => {});
    if (order === 'first' && this.#maxWaitSeconds !== undefined) {
      this.#limitWait(place, this.#maxWaitSeconds);
    }
    return {
      place,
      get position() {
        return waiting.position;
      },
    };
  }

  #limitWait(place: Promise<Place>, seconds: number): void {
    const timer = setTimeout(() => {
      this.abort(waitedInQueue(this.instance.id, seconds));
    }, seconds * 1000);
    const clear = (): void => clearTimeout(timer);
    place.then(clear, clear);
  }

  /** Gives the place back. */
  leave(): void {
    this.place?.leave();
    this.place = undefined;
  }

  /** Aborts running work and gives the place and the instance back. A second call does nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#requestSignal.removeEventListener('abort', this.#abortWithRequest);
    this.#controller.abort(released);
    this.leave();
    this.instance.removeLease(this);
  }

  /**
   * The error for a request whose engine failed. If the engine has stopped, waits for the instance's own error, which
   * has the cause. The instance is then no longer listed, so that the client may retry at once. For a prompt that is
   * too long, adds how to make it fit.
   */
  async failure(error: unknown): Promise<unknown> {
    if (!(error instanceof HearthError)) return error;
    if (error.code !== 'crashed') return cured(error, this.instance.contextCure);
    await this.#exitKnown();
    return this.signal.reason instanceof HearthError ? this.signal.reason : error;
  }

  async #exitKnown(): Promise<void> {
    await delay(exitKnownWithinMs, undefined, { signal: this.signal }).catch(() => {});
  }

  readonly #abortWithRequest = (): void => this.abort(this.#requestSignal.reason);
}
