import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '../../observability/logger.ts';

/** Our end of the watchdog process: which engines it shall kill when we are gone. */
export interface WatchdogLink {
  guard(pid: number): void;
  release(pid: number): void;
  /** Ends the watchdog; engines that are still guarded are killed. */
  close(): Promise<void>;
}

/**
 * Starts the watchdog with the first engine, in a session of its own so that no signal meant for us
 * reaches it. One that died is started again with the next engine.
 *
 * @param scriptPath The bundled `watchdog.js`.
 */
export function createWatchdogLink(scriptPath: string, logger: Logger): WatchdogLink {
  const guarded = new Set<number>();
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
      logger.warn({ error }, 'the engine watchdog could not be started');
      forget();
    });
    child.once('exit', forget);
    // It may die while we write to it; `exit` tells.
    child.stdin?.on('error', forget);
    child.unref();
    return child;
  }

  return {
    guard: (pid) => {
      guarded.add(pid);
      if (watchdog === undefined) {
        watchdog = start();
        for (const each of guarded) watchdog.stdin?.write(`+${each}\n`);
      } else {
        watchdog.stdin?.write(`+${pid}\n`);
      }
    },
    release: (pid) => {
      if (guarded.delete(pid)) watchdog?.stdin?.write(`-${pid}\n`);
    },
    close: async () => {
      const child = watchdog;
      if (child === undefined) return;
      const exited = once(child, 'exit');
      child.stdin?.end();
      await exited;
    },
  };
}
