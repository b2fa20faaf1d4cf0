import { readdir } from 'node:fs/promises';
import { basename, join, resolve as absolutePath } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { createBinaryVersionReader } from './binary-version.ts';
import { findExecutable, isExecutable } from './find-executable.ts';
import { installRuntime } from './install-runtime.ts';
import { pinnedMlx, type InstallationSettings, type PinnedMlx } from './installation.ts';
import {
  pinnedRelease,
  type PinnedRelease,
  pinnedWheel,
  type PinnedWheel,
} from './pinned-release.ts';
import {
  type InstalledRuntime,
  type PythonLaunchers,
  readInstalledRuntime,
} from './runtime-manifest.ts';
import { readSelections, type RuntimeSelection, writeSelections } from './runtime-selection.ts';
import type { InstallProgress, ListedRuntime, Runtime, RuntimeManager } from './runtime.ts';
import type { ProcessGuard } from '../../platform/processes/managed-child.ts';
import { createSingleFlight } from '../../kernel/concurrency/single-flight.ts';
import { isStagingName, withStagingFolder } from './staging.ts';
import { type Machine, runtimeName, targetOf } from './target.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';

export interface RuntimeManagerOptions {
  readonly runtimesFolder: string;
  /** The setting `engine.llamaServer`: a path, or a name on `PATH`. */
  readonly configuredServer?: string | undefined;
  /** URL with a folder for each release tag, like GitHub's downloads. */
  readonly releaseBaseUrl?: string | undefined;
  readonly launchers: PythonLaunchers;
  /** Environment of child programs, with `PATH` and the proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Kills running installers when this process dies. */
  readonly guard?: ProcessGuard;
  /** This machine by default. */
  readonly machine?: Machine;
  readonly release?: PinnedRelease;
  readonly wheel?: PinnedWheel;
  readonly mlx?: PinnedMlx;
  readonly retryDelaysMs?: readonly number[];
}

/** A runtime before the active runtimes are determined. */
type Candidate = Omit<ListedRuntime, 'isActive'>;

const officialReleases = 'https://github.com/ggml-org/llama.cpp/releases/download';

/** Finds, installs and removes engine runtimes in one folder. */
export function createRuntimeManager(options: RuntimeManagerOptions): RuntimeManager {
  const { runtimesFolder, configuredServer, environment, logger } = options;
  const machine = options.machine ?? { platform: process.platform, architecture: process.arch };
  const settings: InstallationSettings = {
    runtimesFolder,
    machine,
    environment,
    release: options.release ?? pinnedRelease,
    wheel: options.wheel ?? pinnedWheel,
    mlx: options.mlx ?? pinnedMlx,
    releaseBaseUrl: options.releaseBaseUrl ?? officialReleases,
    retryDelaysMs: options.retryDelaysMs ?? [500, 2_000],
    launchers: options.launchers,
    logger,
    guard: options.guard,
  };
  const versionOf = createBinaryVersionReader(environment);
  const installations = createSingleFlight<Runtime, InstallProgress>();

  async function external(command: string, source: 'setting' | 'path'): Promise<Runtime> {
    return {
      // The backend of a binary that Hearth did not install is unknown.
      name: runtimeName('llama.cpp', targetOf(machine, 'custom')),
      version: await versionOf(command),
      supportedFormats: ['gguf'],
      source,
      command,
      leadingArguments: [],
    };
  }

  async function configured(): Promise<Runtime | undefined> {
    if (configuredServer === undefined) return undefined;
    const isName = basename(configuredServer) === configuredServer;
    const command = isName
      ? await findExecutable(configuredServer, environment, machine.platform)
      : absolutePath(configuredServer);
    if (command !== undefined && (await isExecutable(command))) return external(command, 'setting');
    throw new HearthError(
      'runtime_unavailable',
      `engine.llamaServer is ${JSON.stringify(configuredServer)}, which is not an executable file; ` +
        'set it to a llama-server binary, or leave it out to use an installed runtime.',
    );
  }

  const isRecommended = ({ source, version, supportedFormats }: Runtime): boolean => {
    if (supportedFormats.includes('mlx')) return version === settings.mlx.version;
    return (
      (source === 'release' && version === settings.release.tag) ||
      (source === 'wheel' && version === settings.wheel.build)
    );
  };

  const elsewhere = (runtime: Runtime | undefined): readonly Candidate[] =>
    runtime === undefined ? [] : [{ ...runtime, isSelected: false, isRecommended: false }];

  /** The installed runtimes: first selected ones, then recommended ones, then the others. */
  async function preferred(): Promise<readonly Candidate[]> {
    const [runtimes, selections] = await Promise.all([installed(), readSelections(runtimesFolder)]);
    return preferredFirst(
      runtimes.map((runtime) => ({
        ...runtime,
        isSelected: selections.some((selection) => isSame(selection, runtime)),
        isRecommended: isRecommended(runtime),
      })),
    );
  }

  /** Newest first. */
  async function installed(): Promise<readonly InstalledRuntime[]> {
    const entries = await readdir(runtimesFolder, { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      },
    );
    const runtimes: InstalledRuntime[] = [];
    for (const entry of entries) {
      if (!entry.isDirectory() || isStagingName(entry.name)) continue;
      const folder = join(runtimesFolder, entry.name);
      try {
        runtimes.push(await readInstalledRuntime(folder, settings.launchers));
      } catch (error) {
        logger.warn(
          { event: 'runtime.ignored', folder, err: error },
          'folder without a usable runtime ignored',
        );
      }
    }
    return runtimes.toSorted((a, b) => b.installedAt.localeCompare(a.installedAt));
  }

  async function onPath(): Promise<Runtime | undefined> {
    const command = await findExecutable('llama-server', environment, machine.platform);
    return command === undefined ? undefined : external(command, 'path');
  }

  return {
    list: async () =>
      listed([
        ...elsewhere(await configured()),
        ...(await preferred()),
        ...elsewhere(await onPath()),
      ]),

    installed: async () => listed(await preferred()),

    resolve: async (format) => {
      const runs = (runtime: Runtime | undefined): runtime is Runtime =>
        runtime?.supportedFormats.includes(format) === true;
      const chosen = await configured();
      if (runs(chosen)) return chosen;
      const own = (await preferred()).find(runs);
      if (own !== undefined) return own;
      const found = await onPath();
      return runs(found) ? found : undefined;
    },

    install: ({ format = 'gguf', from, backend, onProgress, signal }) =>
      installations.join(
        `${format} ${from ?? 'any'} ${backend ?? 'any'}`,
        (report, shared) =>
          installRuntime(settings, { format, from, backend, report, signal: shared }),
        { signal, onEvent: onProgress },
      ),

    select: async (name, version) => {
      if (name === null) {
        await writeSelections(runtimesFolder, []);
        return true;
      }
      const runtimes = await installed();
      const found = runtimes.find(
        (runtime) => runtime.name === name && (version ?? runtime.version) === runtime.version,
      );
      if (found === undefined) return false;
      const kept = (await readSelections(runtimesFolder)).filter((selection) => {
        const runtime = runtimes.find((each) => isSame(selection, each));
        return runtime !== undefined && !sharesFormat(runtime, found);
      });
      await writeSelections(runtimesFolder, [...kept, { name, version: found.version }]);
      return true;
    },

    remove: async (name, version) => {
      const targets = (await installed()).filter(
        (runtime) => runtime.name === name && (version ?? runtime.version) === runtime.version,
      );
      for (const { folder } of targets) {
        // Renamed first, so that a partly deleted runtime is never found.
        await withStagingFolder(runtimesFolder, (staging) =>
          renameWithRetry(folder, join(staging, 'removed')),
        );
      }
      return targets.length > 0;
    },
  };
}

function isSame(selection: RuntimeSelection, { name, version }: Runtime): boolean {
  return selection.name === name && selection.version === version;
}

function sharesFormat(one: Runtime, other: Runtime): boolean {
  return one.supportedFormats.some((format) => other.supportedFormats.includes(format));
}

/** Lists runtimes for GGUF first; the first one for each format is active. */
function listed(candidates: readonly Candidate[]): readonly ListedRuntime[] {
  const runsGguf = ({ supportedFormats }: Runtime): number =>
    supportedFormats.includes('gguf') ? 0 : 1;
  const sorted = candidates.toSorted((one, other) => runsGguf(one) - runsGguf(other));
  return sorted.map((candidate) => ({
    ...candidate,
    isActive: sorted.find((each) => sharesFormat(each, candidate)) === candidate,
  }));
}

interface Preference {
  readonly isSelected: boolean;
  readonly isRecommended: boolean;
}

/** Sorts runtimes stably: first selected ones, then recommended ones, then the others. */
function preferredFirst<Ranked extends Preference>(runtimes: readonly Ranked[]): readonly Ranked[] {
  const rank = ({ isSelected, isRecommended }: Preference): number =>
    isSelected ? 0 : isRecommended ? 1 : 2;
  return runtimes.toSorted((a, b) => rank(a) - rank(b));
}
