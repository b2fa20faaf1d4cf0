import { join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { installMlx } from './install-mlx.ts';
import { installRelease } from './install-release.ts';
import { installWheel } from './install-wheel.ts';
import type { InstallationSettings, InstallationWay } from './installation.ts';
import { readInstalledRuntime, writeManifest } from './runtime-manifest.ts';
import type { InstallProgress, ModelFormat, Runtime } from './runtime.ts';
import { publishFolder, removeStaleStaging, withStagingFolder } from './staging.ts';
import { runtimeName, type Backend } from './target.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';

interface InstallRequest {
  readonly format: ModelFormat;
  readonly from: 'release' | 'wheel' | undefined;
  readonly backend: Backend | undefined;
  readonly report: (progress: InstallProgress) => void;
  readonly signal: AbortSignal;
}

const ways = { release: installRelease, wheel: installWheel, packages: installMlx } as const;

/**
 * Installs a runtime from the requested source, or from the first one that works.
 *
 * @throws HearthError `runtime_unavailable` with the causes and possible solutions; `invalid_value` for a source or
 *   backend that the format lacks; the signal's reason when aborted.
 */
export async function installRuntime(
  settings: InstallationSettings,
  request: InstallRequest,
): Promise<Runtime> {
  const names = sourcesFor(request);
  const failures: Failure[] = [];
  for (const name of names) {
    try {
      return await installBy(ways[name], settings, request);
    } catch (error) {
      request.signal.throwIfAborted();
      // Expected, since many machines can't reach one of the sources, so no stack is logged.
      settings.logger.warn(
        { event: 'runtime.install_failed', from: name, reason: oneLine(error) },
        'engine runtime not installed from this source',
      );
      failures.push({ name, error });
    }
  }
  throw request.format === 'gguf' ? unavailable(failures) : mlxUnavailable(failures);
}

function sourcesFor({ format, from, backend }: InstallRequest): readonly (keyof typeof ways)[] {
  if (format === 'gguf') return from === undefined ? ['release', 'wheel'] : [from];
  const field = from !== undefined ? 'from' : backend !== undefined ? 'backend' : undefined;
  if (field === undefined) return ['packages'];
  throw new HearthError(
    'invalid_value',
    (name) => `\`${name(field)}\` is for runtimes of GGUF models; there is one for MLX models.`,
    { field },
  );
}

async function installBy(
  way: InstallationWay,
  settings: InstallationSettings,
  { backend, report, signal }: InstallRequest,
): Promise<Runtime> {
  const { runtimesFolder, launchers } = settings;
  await removeStaleStaging(runtimesFolder);
  return withStagingFolder(runtimesFolder, async (stagingFolder) => {
    const contentFolder = join(stagingFolder, 'content');
    const installation = { settings, backend, stagingFolder, contentFolder, report, signal };
    const plan = await way.plan(installation);
    const name = runtimeName(way.engine, plan.target);
    const folder = join(runtimesFolder, `${name}-${plan.version}`);
    const present = (): Promise<Runtime | undefined> =>
      readInstalledRuntime(folder, launchers).catch(() => undefined);

    const earlier = await present();
    if (earlier !== undefined) return earlier;
    const origin = await way.fill(plan, installation);
    await writeManifest(contentFolder, {
      formatVersion: 1,
      name,
      version: plan.version,
      supportedFormats: [way.format],
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
    return readInstalledRuntime(folder, launchers);
  });
}

interface Failure {
  readonly name: string;
  readonly error: unknown;
}

function mlxUnavailable(failures: readonly Failure[]): HearthError {
  return new HearthError(
    'runtime_unavailable',
    [
      'No runtime for MLX models is installed and none could be installed.',
      ...failures.map(({ error }) => `${oneLine(error)}.`),
      'Use the model in GGUF format, or run `hearth runtime install mlx` with access to a package index.',
    ].join(' '),
    { cause: new AggregateError(failures.map(({ error }) => error)) },
  );
}

function unavailable(failures: readonly Failure[]): HearthError {
  const causes = failures.map(({ name, error }) => `The ${name}: ${oneLine(error)}.`);
  return new HearthError(
    'runtime_unavailable',
    [
      'No engine runtime is installed and none could be installed.',
      ...causes,
      'Three ways out: set engine.llamaServer (HEARTH_LLAMA_SERVER) to a llama-server binary;',
      'or install llama.cpp so that llama-server is on PATH;',
      'or run `hearth runtime install` with access to the network',
      'or with python3 and pip.',
    ].join(' '),
    { cause: new AggregateError(failures.map(({ error }) => error)) },
  );
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 500);
}
