import type { Logger } from '../kernel/logger.ts';

interface Shutdown {
  /** Each step of the start adds its undo function. */
  readonly cleanups: (() => unknown)[];
  /** Calls the undo functions in reverse order. Logs the ones that fail. */
  readonly undo: () => Promise<void>;
  /** Calls `undo`, but only once. */
  readonly stop: () => Promise<void>;
  /** Settles when `stop` has ended. */
  readonly stopped: Promise<void>;
}

/** Releases the resources of a server that started, or failed to. */
export function createShutdown(logger: Logger): Shutdown {
  const cleanups: (() => unknown)[] = [];
  const undo = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) {
      try {
        await cleanup();
      } catch (error) {
        logger.error({ err: error }, 'cleanup failed');
      }
    }
  };
  let settle = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let stopping: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    await undo();
    logger.info('stopped');
    settle();
  };
  return { cleanups, undo, stopped, stop: () => (stopping ??= stopOnce()) };
}
