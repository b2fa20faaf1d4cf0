import { join } from 'node:path';
import { createRuntimeManager } from '../../../src/engines/runtimes/runtime-manager.ts';
import type { Runtime } from '../../../src/engines/runtimes/runtime.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { launchers } from '../engine/shared-runtimes.ts';
import { projectFolder } from '../project-folder.ts';

/** A separate folder, since it is large and other tests expect only runtimes for GGUF. */
export const mlxRuntimesFolder = join(projectFolder, '.cache/test-mlx-runtimes');

/** The runtime for MLX models, installed with the first call. */
export async function mlxRuntime(): Promise<Runtime> {
  const runtimes = createRuntimeManager({
    runtimesFolder: mlxRuntimesFolder,
    launchers,
    environment: process.env,
    logger: createLogger('silent'),
  });
  return (await runtimes.resolve('mlx')) ?? (await runtimes.install({ format: 'mlx' }));
}
