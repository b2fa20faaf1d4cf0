import { join } from 'node:path';
import { createRuntimeManager } from '../../src/engine/runtimes/runtime-manager.ts';
import { createLogger } from '../../src/observability/logger.ts';

const projectFolder = join(import.meta.dirname, '../..');

/** Runtimes are large: every server that a test starts uses this folder. */
export const sharedRuntimesFolder = join(projectFolder, '.cache/test-runtimes');

/** Fills the folder, once; for the global setup. */
export async function installSharedRuntime(): Promise<void> {
  const runtimes = createRuntimeManager({
    runtimesFolder: sharedRuntimesFolder,
    wheelLauncherPath: join(projectFolder, 'src/engine/runtimes/wheel-launcher.py'),
    environment: process.env,
    logger: createLogger('silent'),
  });
  const installed = await runtimes.list();
  if (installed.some(({ source }) => source === 'wheel')) return;
  await runtimes.install({ from: 'wheel' });
}
