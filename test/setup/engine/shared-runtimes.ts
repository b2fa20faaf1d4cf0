import { join } from 'node:path';
import type { Runtime } from '../../../src/engines/runtimes/runtime.ts';
import { createRuntimeManager } from '../../../src/engines/runtimes/runtime-manager.ts';
import { projectFolder } from '../project-folder.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';

/** All tests and their servers share this folder, since runtimes are large. */
export const sharedRuntimesFolder = join(projectFolder, '.cache/test-runtimes');

/** The scripts that start servers from Python packages. */
export const launchers = {
  wheel: join(projectFolder, 'src/engines/runtimes/wheel-launcher.py'),
  mlx: join(projectFolder, 'src/engines/backends/mlx/mlx-launcher.py'),
};

/** The engine for tests: the wheel, installed with the first call. */
export async function testRuntime(): Promise<Runtime> {
  const runtimes = createRuntimeManager({
    runtimesFolder: sharedRuntimesFolder,
    launchers,
    environment: process.env,
    logger: createLogger('silent'),
  });
  const installed = await runtimes.list();
  return (
    installed.find(({ source }) => source === 'wheel') ??
    (await runtimes.install({ from: 'wheel' }))
  );
}
