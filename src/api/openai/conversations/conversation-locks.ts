import { HearthError } from '../../../kernel/errors/errors.ts';
import type { LeaseKeeper } from '../../../store/shared/lease-keeper.ts';

/**
 * Allows only one request at a time to generate a response in a conversation or change it, over all servers of the
 * database.
 */
export class ConversationLocks {
  readonly #leases: Pick<LeaseKeeper, 'take'>;

  constructor(leases: Pick<LeaseKeeper, 'take'>) {
    this.#leases = leases;
  }

  /**
   * Locks a conversation until the returned function is called; calling it again has no effect.
   *
   * @throws HearthError `conversation_locked`.
   */
  async lock(id: string): Promise<() => Promise<void>> {
    const lease = await this.#leases.take(`conversation:${id}`);
    if (lease !== undefined) return () => lease.release();
    throw new HearthError(
      'conversation_locked',
      `Another request is changing the conversation "${id}". Try again when it has ended.`,
      { param: 'conversation' },
    );
  }

  /** Runs work with the conversation locked. */
  async with<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const unlock = await this.lock(id);
    try {
      return await work();
    } finally {
      await unlock();
    }
  }
}
