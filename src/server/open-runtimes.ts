import { join } from 'node:path';
import {
  createRuntimeManager,
  type RuntimeManagerOptions,
} from '../engines/runtimes/runtime-manager.ts';
import type { RuntimeManager } from '../engines/runtimes/runtime.ts';
import { packageFolder } from '../platform/files/package-folder.ts';
import type { Settings } from '../settings/settings-table.ts';

/** Manages the runtimes of a home folder. */
export function openRuntimes(
  settings: Settings,
  home: string,
  options: Pick<RuntimeManagerOptions, 'environment' | 'guard' | 'logger'>,
): RuntimeManager {
  return createRuntimeManager({
    ...options,
    runtimesFolder: join(home, 'runtimes'),
    configuredServer: settings['engine.llamaServer'],
    launchers: {
      wheel: join(packageFolder, 'dist/engine/wheel-launcher.py'),
      mlx: join(packageFolder, 'dist/engine/mlx-launcher.py'),
    },
  });
}
