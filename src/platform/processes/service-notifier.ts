import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '../../kernel/logger.ts';
import { filterEnvironment } from './filter-environment.ts';

/** Reports the state of this process to the service manager that started it; see sd_notify(3). */
export interface ServiceNotifier {
  /** Reports that the service is up, and starts to answer the watchdog. */
  ready(status: string): Promise<void>;
  stopping(): Promise<void>;
  /** Stops answering the watchdog. */
  close(): void;
}

const run = promisify(execFile);
/** Limit for `systemd-notify`; after this time the message is dropped. Even a busy machine starts a process faster. */
const maxNotifyMs = 10_000;

/**
 * Creates a notifier. Node can't send datagrams to a unix socket, so the program `systemd-notify` sends them; the unit
 * needs `NotifyAccess=all`. Does nothing if the environment has no `NOTIFY_SOCKET`.
 */
export function createServiceNotifier(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}): ServiceNotifier {
  const { environment, logger } = options;
  const isManaged = (environment['NOTIFY_SOCKET'] ?? '') !== '';
  const childEnvironment = filterEnvironment(environment, ['PATH', 'NOTIFY_SOCKET']);
  let timer: NodeJS.Timeout | undefined;
  let isNotifying = false;

  const notify = async (...assignments: readonly string[]): Promise<void> => {
    if (!isManaged) return;
    try {
      await run('systemd-notify', [...assignments], {
        env: childEnvironment,
        timeout: maxNotifyMs,
      });
    } catch (err) {
      logger.warn({ err }, 'service manager not notified');
    }
  };
  const answerWatchdog = async (): Promise<void> => {
    if (isNotifying) return;
    isNotifying = true;
    await notify('WATCHDOG=1');
    isNotifying = false;
  };

  return {
    ready: async (status) => {
      await notify('READY=1', `STATUS=${status}`);
      const intervalMs = watchdogIntervalMs(environment);
      if (!isManaged || intervalMs === undefined) return;
      timer ??= setInterval(() => void answerWatchdog(), intervalMs);
      timer.unref();
    },
    stopping: () => notify('STOPPING=1', 'STATUS=Finishing requests'),
    close: () => clearInterval(timer),
  };
}

/** Half of systemd's watchdog timeout, as sd_watchdog_enabled(3) recommends. */
function watchdogIntervalMs(
  environment: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const pid = environment['WATCHDOG_PID'] ?? '';
  if (pid !== '' && pid !== String(process.pid)) return undefined;
  const limitUs = Number(environment['WATCHDOG_USEC'] ?? '');
  return Number.isSafeInteger(limitUs) && limitUs > 0 ? limitUs / 2000 : undefined;
}
