import type { Logger } from '../kernel/logger.ts';

interface Shutdown {
  /** Each step of a start adds how it is undone. */
  readonly cleanups: (() => unknown)[];
  /** Undoes the steps in reverse order. A step that fails is logged. */
  readonly undo: () => Promise<void>;
  /** Undoes the steps, once, however often it is called. */
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
