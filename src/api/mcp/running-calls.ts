import type { LinkedAbort } from '../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Caller } from '../../telemetry/request-context.ts';

/** Key of a call, from the ids that its client knows. */
export interface CallName {
  readonly caller: Pick<Caller, 'tokenId'>;
  /** From `initialize`; without it, calls of several clients could have the same id. */
  readonly sessionId: string | undefined;
  readonly id: unknown;
}

/**
 * The calls that clients before the protocol 2026-07-28 may cancel: with a notification, in a request of its own. Later
 * ones close the connection. A notification that reaches another process finds nothing, which the protocol allows.
 */
export class RunningCalls {
  readonly #calls = new Map<string, LinkedAbort>();

  add(name: CallName, call: LinkedAbort): void {
    if (name.sessionId !== undefined) this.#calls.set(keyOf(name), call);
  }

  remove(name: CallName, call: LinkedAbort): void {
    if (this.#calls.get(keyOf(name)) === call) this.#calls.delete(keyOf(name));
  }

  cancel(name: CallName): void {
    if (name.sessionId === undefined) return;
    this.#calls
      .get(keyOf(name))
      ?.abort(new HearthError('cancelled', 'The client cancelled the call.'));
  }
}

function keyOf({ caller, sessionId, id }: CallName): string {
  return JSON.stringify([caller.tokenId, sessionId, id]);
}
