import { Kysely } from 'kysely';
import type { Logger } from '../kernel/logger.ts';
import type { Schema } from './schema.ts';
import type { StatementThread } from './statement-thread.ts';
import { ThreadDialect } from './thread-dialect.ts';
import { serialTransactions, type Transactions } from './transactions.ts';

interface ThreadTransactionsOptions {
  readonly database: Kysely<Schema>;
  readonly thread: StatementThread;
  /** Called after each transaction of the thread. */
  readonly onCommit: () => void;
  readonly logger: Logger;
}

/**
 * Runs long work in a thread, where its statements do not block the event loop. The connection of this thread is taken
 * meanwhile: waiting for the lock of the other one would block.
 */
export function threadTransactions({
  database,
  thread,
  onCommit,
  logger,
}: ThreadTransactionsOptions): Transactions {
  const here = serialTransactions(database);
  const inThread = new Kysely<Schema>({ dialect: new ThreadDialect(thread, onCommit) });
  let hasThread = true;

  async function canStart(): Promise<boolean> {
    if (!hasThread) return false;
    try {
      await thread.run('select 1');
    } catch (err) {
      hasThread = false;
      logger.warn(
        { err },
        'the thread of the database failed; deletions and searches delay other work',
      );
    }
    return hasThread;
  }

  const readLong: Transactions['readLong'] = (work) =>
    thread.hold(async () =>
      (await canStart()) ? database.connection().execute(() => work(inThread)) : work(database),
    );
  const changeLong: Transactions['changeLong'] = (work) =>
    readLong((chosen) => chosen.transaction().execute(work));

  return {
    add: (work, options) => (options?.isLong === true ? changeLong(work) : here.add(work)),
    change: (work) => here.change(work),
    changeLong,
    readLong,
  };
}
