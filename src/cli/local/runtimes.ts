import { join } from 'node:path';
import { loadSettings } from '../../settings/settings.ts';
import { createRuntimeManager } from '../../engines/runtimes/runtime-manager.ts';
import type { RuntimeManager } from '../../engines/runtimes/runtime.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';
import type { CommandContext } from '../context.ts';

/** Manages the runtimes of the home folder; needs no running server. */
export async function openRuntimes(context: CommandContext): Promise<RuntimeManager> {
  const { home, environment } = context;
  const settings = await loadSettings({ home, environment, flags: {} });
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
