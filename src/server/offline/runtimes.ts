import type { RuntimeManager } from '../../engines/runtimes/runtime.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { openRuntimes as open } from '../open-runtimes.ts';
import { readSettings, type OfflineHome } from './offline-home.ts';

export type { InstallProgress, ListedRuntime } from '../../engines/runtimes/runtime.ts';

/** Manages the runtimes of the home folder. */
export async function openRuntimes(offline: OfflineHome): Promise<RuntimeManager> {
  const { home, environment } = offline;
  return open(await readSettings(offline), home, { environment, logger: createLogger('error') });
}
