import { join } from 'node:path';
import { HearthError } from '../../contract/errors.ts';
import { installRelease } from './install-release.ts';
import { installWheel } from './install-wheel.ts';
import type { InstallationSettings, InstallationWay } from './installation.ts';
import { readInstalledRuntime, writeManifest } from './runtime-manifest.ts';
import type { InstallProgress, Runtime } from './runtime.ts';
import { publishFolder, removeStaleStaging, withStagingFolder } from './staging.ts';
import { runtimeName, type Backend } from './target.ts';
import { renameWithRetry } from '../../rename-with-retry.ts';

interface InstallRequest {
  readonly from: 'release' | 'wheel' | undefined;
  readonly backend: Backend | undefined;
  readonly report: (progress: InstallProgress) => void;
  readonly signal: AbortSignal;
}

const ways: Readonly<Record<'release' | 'wheel', InstallationWay>> = {
  release: installRelease,
  wheel: installWheel,
};

/**
 * Installs a runtime from the requested source, or from the first one that works.
 *
 * @throws HearthError `runtime_unavailable` with the causes and possible solutions; the signal's reason when aborted.
 */
export async function installRuntime(
  settings: InstallationSettings,
  request: InstallRequest,
): Promise<Runtime> {
  const names = request.from === undefined ? (['release', 'wheel'] as const) : [request.from];
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const name of names) {
    try {
      return await installBy(ways[name], settings, request);
    } catch (error) {
      request.signal.throwIfAborted();
      // Many machines can't reach one of the sources, so the log needs no stack.
      settings.logger.warn(
        { event: 'runtime.install_failed', from: name, reason: oneLine(error) },
        'engine runtime not installed from this source',
      );
      failures.push({ name, error });
    }
  }
  throw unavailable(failures);
}

async function installBy(
  way: InstallationWay,
  settings: InstallationSettings,
  { backend, report, signal }: InstallRequest,
): Promise<Runtime> {
  const { runtimesFolder, wheelLauncherPath } = settings;
  await removeStaleStaging(runtimesFolder);
  return withStagingFolder(runtimesFolder, async (stagingFolder) => {
    const contentFolder = join(stagingFolder, 'content');
    const installation = { settings, backend, stagingFolder, contentFolder, report, signal };
    const plan = await way.plan(installation);
    const name = runtimeName(plan.target);
    const folder = join(runtimesFolder, `${name}-${plan.version}`);
    const present = (): Promise<Runtime | undefined> =>
      readInstalledRuntime(folder, wheelLauncherPath).catch(() => undefined);

    const earlier = await present();
    if (earlier !== undefined) return earlier;
    const origin = await way.fill(plan, installation);
    await writeManifest(contentFolder, {
      formatVersion: 1,
      name,
      version: plan.version,
      supportedFormats: ['gguf'],
      installedAt: new Date().toISOString(),
      origin,
    });
    signal.throwIfAborted();
    if (!(await publishFolder(contentFolder, folder))) {
      const faster = await present();
      if (faster !== undefined) return faster;
      await renameWithRetry(folder, join(stagingFolder, 'replaced'));
      await publishFolder(contentFolder, folder);
    }
    return readInstalledRuntime(folder, wheelLauncherPath);
  });
}

function unavailable(
  failures: readonly { readonly name: string; readonly error: unknown }[],
): HearthError {
  const causes = failures.map(({ name, error }) => `The ${name}: ${oneLine(error)}.`);
  return new HearthError(
    'runtime_unavailable',
    [
      'No engine runtime is installed and none could be installed.',
      ...causes,
      'Three ways out: set engine.llamaServer (HEARTH_LLAMA_SERVER) to a llama-server binary;',
      'or install llama.cpp so that llama-server is on PATH;',
      'or run `hearth runtime install` with access to the network (engine.releaseUrl names a mirror)',
      'or with python3 and pip.',
    ].join(' '),
    { cause: new AggregateError(failures.map(({ error }) => error)) },
  );
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 500);
}
