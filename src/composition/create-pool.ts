import type { Settings } from '../config/settings-table.ts';
import type { InstallProgress } from '../engine/runtimes/runtime.ts';
import type { Upstreams } from '../engine/remote/upstreams.ts';
import { GgufLoader } from '../instances/gguf-loader.ts';
import { InstancePool } from '../instances/pool.ts';
import { RemoteLoader } from '../instances/remote-loader.ts';
import { readAvailableMemory, readTotalMemory } from '../machine/read-machine.ts';

type LoaderOptions = ConstructorParameters<typeof GgufLoader>[0];
type PoolOptions = ConstructorParameters<typeof InstancePool>[0];

interface PoolServices
  extends
    Pick<PoolOptions, 'library' | 'logger'>,
    Pick<LoaderOptions, 'runtimes' | 'launcher' | 'warmStates'> {
  readonly upstreams: Upstreams;
  readonly events: NonNullable<PoolOptions['events']>;
  readonly onInstallProgress: (progress: InstallProgress) => void;
}

/** The pool of a server. Live settings are read from `settings` at each use. */
export function createPool(settings: Settings, services: PoolServices): InstancePool {
  const { library, runtimes, launcher, warmStates, upstreams } = services;
  const { logger, events, onInstallProgress } = services;
  const ggufLoader = new GgufLoader({
    runtimes,
    launcher,
    kvCacheTypes: { k: settings['engine.kvTypeK'], v: settings['engine.kvTypeV'] },
    threads: settings['engine.threads'],
    gpuLayers: settings['engine.gpuLayers'],
    promptCacheMiB: settings['engine.promptCacheMiB'],
    loadTimeoutMs: settings['engine.loadTimeoutSeconds'] * 1000,
    warmStates,
    onInstallProgress,
  });
  return new InstancePool({
    library,
    loaders: [ggufLoader, new RemoteLoader(upstreams)],
    logger,
    events,
    availableMemory: readAvailableMemory,
    totalMemoryBytes: readTotalMemory(),
    get loadsOnRequest() {
      return settings['models.jit'];
    },
    get defaultTtlSeconds() {
      return settings['models.ttlSeconds'];
    },
    defaults: {
      contextLength: settings['engine.contextLength'],
      parallel: settings['engine.parallel'],
    },
    queueCapacity: settings['limits.queuedRequests'],
    get memoryLimitBytes() {
      return settings['models.memoryLimitBytes'];
    },
    get maxLoaded() {
      return settings['models.maxLoaded'];
    },
    get keepsOnlyLast() {
      return settings['models.autoEvict'];
    },
    pinned: settings['models.pinned'],
    loadQueueCapacity: settings['limits.loadQueue'],
    loadWaitSeconds: settings['limits.loadWaitSeconds'],
  });
}
