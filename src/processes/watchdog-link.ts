import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessGuard } from './managed-child.ts';
import type { Logger } from '../observability/logger.ts';

/** The connection to the watchdog, a process that kills the guarded processes when this one has died. */
export interface WatchdogLink extends ProcessGuard {
  /** Ends the watchdog; those that are still guarded are killed. */
  close(): Promise<void>;
}

/**
 * Starts the watchdog with the first process to guard, in a session of its own so that no signal meant for us
 * reaches it. One that died is started again with the next one.
 *
 * @param scriptPath The bundled `watchdog.js`.
 */
export function createWatchdogLink(scriptPath: string, logger: Logger): WatchdogLink {
  const guarded = new Map<number, string>();
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
      logger.warn({ error }, 'the watchdog could not be started');
      forget();
    });
    child.once('exit', forget);
    // It may die while we write to it; `exit` tells.
    child.stdin?.on('error', forget);
    child.unref();
    return child;
  }

  return {
    guard: (pid, folder = '') => {
      guarded.set(pid, folder);
      const news = watchdog === undefined ? guarded : new Map([[pid, folder]]);
      watchdog ??= start();
      for (const each of news) watchdog.stdin?.write(`+${each.join(' ')}\n`);
    },
    release: (pid) => {
      if (guarded.delete(pid)) watchdog?.stdin?.write(`-${pid}\n`);
    },
    close: async () => {
      const child = watchdog;
      if (child === undefined) return;
      const exited = once(child, 'exit');
      // It may be all that this process still waits for.
      child.ref();
      child.stdin?.end();
      await exited;
    },
  };
}
