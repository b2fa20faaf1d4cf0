import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessGuard } from './managed-child.ts';
import type { Logger } from '../../kernel/logger.ts';

/** The connection to the watchdog, a process that kills the guarded processes when this process dies. */
export interface WatchdogLink extends ProcessGuard {
  /** Stops the watchdog, which kills the processes that are still guarded. */
  close(): Promise<void>;
}

/**
 * Creates the link. The watchdog starts with the first process to guard, in its own session, so that terminal signals
 * do not reach it. If it has died, the next guarded process starts it again.
 *
 * @param scriptPath The bundled `watchdog.js`.
 */
export function createWatchdogLink(scriptPath: string, logger: Logger): WatchdogLink {
  const guarded = new Map<number, readonly string[]>();
  let watchdog: ChildProcess | undefined;

  function start(): ChildProcess {
    const child = spawn(process.execPath, [scriptPath], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      windowsHide: true,
    });
    const forget = (): void => {
      if (watchdog === child) watchdog = undefined;
    };
    child.once('error', (error) => {
      logger.warn({ error }, 'watchdog not started');
      forget();
    });
    child.once('exit', forget);
    // The watchdog may exit during a write; the event `exit` follows.
    child.stdin?.on('error', forget);
    child.unref();
    return child;
  }

  return {
    guard: (pid, folders = []) => {
      guarded.set(pid, folders.length === 0 ? [''] : folders);
      const news = watchdog === undefined ? guarded : new Map([[pid, guarded.get(pid) ?? []]]);
      watchdog ??= start();
      for (const [id, each] of news) {
        for (const folder of each) watchdog.stdin?.write(`+${id} ${folder}\n`);
      }
    },
    release: (pid) => {
      if (guarded.delete(pid)) watchdog?.stdin?.write(`-${pid}\n`);
    },
    close: async () => {
      const child = watchdog;
      if (child === undefined) return;
      const exited = once(child, 'exit');
      // Keeps this process alive until the watchdog has ended.
      child.ref();
      child.stdin?.end();
      await exited;
    },
  };
}
