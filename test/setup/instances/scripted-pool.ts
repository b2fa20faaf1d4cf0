import { HearthError } from '../../../src/contract/errors.ts';
import type { Runtime, RuntimeManager } from '../../../src/engine/runtimes/runtime.ts';
import { Loader } from '../../../src/instances/loader.ts';
import { createMemoryGauge } from '../../../src/instances/memory-gauge.ts';
import { InstancePool } from '../../../src/instances/pool.ts';
import type { ModelEntry, ModelLibrary, ModelSelection } from '../../../src/models/model.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createScriptedLauncher } from './scripted-launcher.ts';

const runtime: Runtime = {
  name: 'scripted',
  version: '1',
  supportedFormats: ['gguf'],
  source: 'setting',
  command: 'true',
  leadingArguments: [],
};

const runtimes: RuntimeManager = {
  list: async () => [runtime],
  resolve: async (format) => (format === 'gguf' ? runtime : undefined),
  install: async () => runtime,
  remove: async () => false,
};

/** The real pool over scripted engines and models that need no file. */
export function scriptedPool(...models: readonly ModelEntry[]) {
  return scriptedPoolWith({ library: libraryOf(...models) });
}

export function scriptedPoolWith(
  options: { library: ModelLibrary } & Partial<ConstructorParameters<typeof InstancePool>[0]>,
) {
  const launcher = createScriptedLauncher();
  const kvCacheTypes = { k: 'f16', v: 'f16' };
  const pool = new InstancePool({
    loader: new Loader({
      runtimes,
      launcher,
      kvCacheTypes,
      threads: undefined,
      gpuLayers: undefined,
      promptCacheMiB: 0,
      loadTimeoutMs: 1000,
    }),
    logger: createLogger('silent'),
    gauge: createMemoryGauge(kvCacheTypes),
    loadsOnRequest: true,
    defaultTtlSeconds: 60,
    defaults: { contextLength: 2048, parallel: 2 },
    queueCapacity: 100,
    memoryLimitBytes: undefined,
    maxLoaded: undefined,
    keepsOnlyLast: false,
    pinned: [],
    loadQueueCapacity: 100,
    loadWaitSeconds: 60,
    ...options,
  });
  return { pool, launcher };
}

export function libraryOf(...models: readonly ModelEntry[]): ModelLibrary {
  return {
    list: async () => models,
    find: async (identifier): Promise<ModelSelection> => {
      const model = models.find(({ key }) => key === identifier);
      const variant = model?.variants[0];
      if (model === undefined || variant === undefined) {
        throw new HearthError('model_not_found', `No model "${identifier}".`);
      }
      return { model, variant };
    },
  };
}
