import { HearthError } from '../../../../contract/errors.ts';

/** Lets one request at a time generate a response in a conversation or change it. */
export class ConversationLocks {
  readonly #locked = new Set<string>();

  /**
   * Locks a conversation until the returned function is called; further calls of that do nothing.
   *
   * @throws HearthError `conversation_locked`.
   */
  lock(id: string): () => void {
    if (this.#locked.has(id)) {
      throw new HearthError(
        'conversation_locked',
        `Another request works on the conversation "${id}". Try again when it has ended.`,
        { param: 'conversation' },
      );
    }
    this.#locked.add(id);
    let isHeld = true;
    return () => {
      if (isHeld) this.#locked.delete(id);
      isHeld = false;
    };
  }

  /** Runs work with the conversation locked. */
  async with<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const unlock = this.lock(id);
    try {
      return await work();
    } finally {
      unlock();
    }
  }
}
