import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '../../src/engines/runtimes/runtime.ts';
import { createRuntimeManager } from '../../src/engines/runtimes/runtime-manager.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { packageFolder } from '../../src/platform/files/package-folder.ts';

export interface BenchRuntime {
  readonly runtime: Runtime;
  readonly folder: string;
}

/**
 * The runtime of both sides: the user's, or the tests' runtime, which is installed if missing.
 *
 * @throws HearthError `runtime_unavailable`.
 */
export async function findRuntime(
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<BenchRuntime> {
  const home = environment['HEARTH_HOME'] ?? join(homedir(), '.hearth');
  const ofUser = join(home, 'runtimes');
  const ofTests = join(packageFolder, '.cache/test-runtimes');
  for (const folder of [ofUser, ofTests]) {
    const runtime = await openRuntimes(folder, environment).resolve('gguf');
    if (runtime !== undefined) return { runtime, folder };
  }
  return { runtime: await openRuntimes(ofTests, environment).install({ signal }), folder: ofTests };
}

function openRuntimes(runtimesFolder: string, environment: NodeJS.ProcessEnv) {
  return createRuntimeManager({
    runtimesFolder,
    configuredServer: environment['HEARTH_LLAMA_SERVER'],
    launchers: {
      wheel: join(packageFolder, 'dist/engine/wheel-launcher.py'),
      mlx: join(packageFolder, 'dist/engine/mlx-launcher.py'),
    },
    environment,
    logger: createLogger('error'),
  });
}
