import { join } from 'node:path';
import { createRuntimeManager } from '../../engines/runtimes/runtime-manager.ts';
import type { RuntimeManager } from '../../engines/runtimes/runtime.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { readSettings, type OfflineHome } from './offline-home.ts';

export type { InstallProgress, ListedRuntime } from '../../engines/runtimes/runtime.ts';

/** Manages the runtimes of the home folder. */
export async function openRuntimes(offline: OfflineHome): Promise<RuntimeManager> {
  const { home, environment } = offline;
  const settings = await readSettings(offline);
  return createRuntimeManager({
    runtimesFolder: settings['engine.runtimesDir'] ?? join(home, 'runtimes'),
    environment,
    configuredServer: settings['engine.llamaServer'],
    launchers: {
      wheel: join(packageFolder, 'dist/engine/wheel-launcher.py'),
      mlx: join(packageFolder, 'dist/engine/mlx-launcher.py'),
    },
    logger: createLogger('error'),
  });
}
