import type { LiveSettings } from '../settings/live-settings.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { InstallProgress } from '../engines/runtimes/runtime.ts';
import type { Upstreams } from '../engines/backends/remote/upstreams.ts';
import { engineEnvironment } from '../engines/launch/child-environment.ts';
import { listDevices } from '../engines/runtimes/list-devices.ts';
import { GgufLoader } from '../engines/loads/gguf-loader.ts';
import { GpuMemory } from '../engines/loads/gpu-memory.ts';
import { Engines } from '../engines/engines.ts';
import { MlxLoader } from '../engines/loads/mlx-loader.ts';
import { modelFingerprint } from '../engines/loads/target-resolver.ts';
import { RemoteLoader } from '../engines/loads/remote-loader.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { readAvailableMemory, readTotalMemory } from '../platform/machine/read-machine.ts';

type LoaderOptions = ConstructorParameters<typeof GgufLoader>[0];
type PoolOptions = ConstructorParameters<typeof Engines>[0];

interface PoolServices
  extends
    Pick<PoolOptions, 'logger'>,
    Pick<LoaderOptions, 'runtimes' | 'launcher' | 'stateCache' | 'templateFolder'> {
  readonly library: PoolOptions['library'] & NonNullable<PoolOptions['adapters']>;
  readonly upstreams: Upstreams;
  readonly modelSettings: NonNullable<PoolOptions['modelSettings']>;
  readonly events: NonNullable<PoolOptions['events']>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onInstallProgress: (progress: InstallProgress) => void;
}

/** Waiting requests per slot of an instance; further requests fail with 429. */
const queuedForEachSlot = 64;

/** Time that a load waits for memory, and that a request without a stream waits for a load. */
const loadWaitSeconds = 300;

/**
 * MiB of cached prompts for each instance: a sixteenth of the memory, so that long conversations of large models fit.
 * A token of an 8B model takes 128 KB.
 */
export function promptCacheMiB(totalMemoryBytes: number): number {
  return Math.max(512, Math.floor(totalMemoryBytes / 16 / 1024 ** 2));
}

/** Creates the server's pool, which follows changes of the settings. */
export function createPool(live: LiveSettings, services: PoolServices): Engines {
  const settings = live.current;
  const { library, runtimes, launcher, stateCache, upstreams, templateFolder } = services;
  const { logger, events, environment, modelSettings, onInstallProgress } = services;
  const totalMemoryBytes = readTotalMemory();
  const deviceEnvironment = engineEnvironment(environment, settings['engine.environment']);
  const shared = {
    runtimes,
    launcher,
    threads: settings['engine.threads'],
    promptCacheMiB: promptCacheMiB(totalMemoryBytes),
    onInstallProgress,
  };
  const ggufLoader = new GgufLoader({
    ...shared,
    kvCacheTypes: { k: settings['engine.kvType'], v: settings['engine.kvType'] },
    gpuLayers: settings['engine.gpuLayers'],
    stateCache,
    templateFolder,
    logger,
  });
  const options: PoolOptions = {
    library,
    adapters: library,
    fingerprint: modelFingerprint,
    modelSettings,
    loaders: [ggufLoader, new MlxLoader(shared), new RemoteLoader(upstreams)],
    logger,
    events,
    availableMemory: readAvailableMemory,
    machineStanding: (machine, id) => upstreams.standing(machine, id),
    gpuMemory: new GpuMemory(() =>
      listDevices({ runtimes, environment: deviceEnvironment, logger }),
    ),
    totalMemoryBytes,
    defaults: {
      parallel: settings['engine.parallel'],
      ...omitUndefined({
        contextLength: settings['engine.contextLength'],
        cacheContexts: settings['engine.cacheContexts'],
      }),
    },
    queueCapacity: settings['engine.parallel'] * queuedForEachSlot,
    loadQueueCapacity: 32,
    loadWaitSeconds,
    ...liveOptions(settings),
  };
  live.onChange(() => Object.assign(options, liveOptions(settings)));
  return new Engines(options);
}

function liveOptions(settings: Settings) {
  return {
    loadsOnRequest: settings['models.jit'],
    defaultTtlSeconds: settings['models.ttlSeconds'],
    memoryLimitBytes: settings['models.memoryLimitBytes'],
    maxLoaded: settings['models.maxLoaded'],
    keepsOnlyLast: settings['models.autoEvict'],
  };
}
