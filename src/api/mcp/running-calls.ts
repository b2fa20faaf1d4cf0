import type { LinkedAbort } from '../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Caller } from '../../kernel/request/request-context.ts';

/** Identifies a call by the ids that its client knows. */
export interface CallName {
  readonly caller: Pick<Caller, 'tokenId'>;
  /** Id of the session, from `initialize`; without it, calls of several clients could have the same id. */
  readonly sessionId: string | undefined;
  readonly id: unknown;
}

/**
 * Running calls that a client may cancel with a notification, in another request. Only clients before protocol version
 * 2026-07-28 do this; later ones close the connection. If another server process receives the notification, the call
 * continues, which the protocol allows.
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
