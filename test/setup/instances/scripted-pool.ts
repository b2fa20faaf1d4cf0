import { tmpdir, totalmem } from 'node:os';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import type { Runtime, RuntimeManager } from '../../../src/engines/runtimes/runtime.ts';
import type { EngineLoader } from '../../../src/engines/loads/engine-loader.ts';
import { GgufLoader } from '../../../src/engines/loads/gguf-loader.ts';
import type { Purpose } from '../../../src/engines/loads/purpose.ts';
import type { OpenRequest } from '../../../src/engines/loads/open-request.ts';
import type { Session } from '../../../src/engines/session.ts';
import type { LoadEvent, QueuedEvent } from '../../../src/engines/session-event.ts';
import { readAvailableMemory } from '../../../src/platform/machine/read-machine.ts';
import { Engines } from '../../../src/engines/engines.ts';
import type { ModelEntry, ModelLibrary, ModelSelection } from '../../../src/library/model.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createScriptedLauncher } from './scripted-launcher.ts';
import { testContext } from '../test-context.ts';

const runtime: Runtime = {
  name: 'scripted',
  version: '1',
  supportedFormats: ['gguf'],
  source: 'setting',
  command: 'true',
  leadingArguments: [],
};

const runtimes: RuntimeManager = {
  list: async () => [{ ...runtime, isSelected: false, isRecommended: true, isActive: true }],
  resolve: async (format) => (format === 'gguf' ? runtime : undefined),
  install: async () => runtime,
  installed: async () => [],
  select: async () => false,
  remove: async () => false,
};

/** The real pool with scripted engines, and models without files. */
export function scriptedPool(...models: readonly ModelEntry[]) {
  return scriptedPoolWith({ library: libraryOf(...models) });
}

export interface ScriptedPoolOptions extends Partial<
  Omit<ConstructorParameters<typeof Engines>[0], 'loaders'>
> {
  readonly library: ModelLibrary;
  /** Used in place of the estimate from the header. */
  readonly estimate?: EngineLoader['estimate'];
  /** Keys of models whose settings pin them; without effect if `modelSettings` are given. */
  readonly pinned?: readonly string[];
  /** Loaders in addition to the one for GGUF. */
  readonly loaders?: readonly EngineLoader[];
}

export function scriptedPoolWith({
  estimate,
  loaders = [],
  pinned = [],
  ...options
}: ScriptedPoolOptions) {
  const launcher = createScriptedLauncher();
  const loader = new GgufLoader({
    runtimes,
    launcher,
    kvCacheTypes: { k: 'f16', v: 'f16' },
    threads: undefined,
    gpuLayers: undefined,
    promptCacheMiB: 0,
    templateFolder: tmpdir(),
  });
  if (estimate !== undefined) loader.estimate = estimate;
  const pool = new Engines({
    loaders: [loader, ...loaders],
    logger: createLogger('silent'),
    availableMemory: readAvailableMemory,
    totalMemoryBytes: totalmem(),
    loadsOnRequest: true,
    defaultTtlSeconds: 60,
    defaults: { contextLength: 2048, parallel: 2 },
    queueCapacity: 100,
    memoryLimitBytes: undefined,
    maxLoaded: undefined,
    keepsOnlyLast: false,
    fingerprint: async () => undefined,
    loadQueueCapacity: 100,
    loadWaitSeconds: 60,
    modelSettings: {
      inForce: () => ({}),
      ofInstance: ({ model }) => ({ inForce: {}, isPinned: pinned.includes(model.key) }),
      onChange: () => {},
    },
    ...options,
  });
  return { pool, launcher, loader };
}

interface OpenOptions extends Omit<OpenRequest, 'target'> {
  readonly clientKey?: string;
  readonly signal?: AbortSignal;
  /** Called once an instance is chosen. */
  readonly onOpen?: (session: Session) => void;
  readonly onEvent?: (event: QueuedEvent | LoadEvent) => void;
}

/** Resolves a model and opens a session like a request, and waits until it is ready. */
export function openFrom(
  pool: Engines,
  identifier: string,
  {
    clientKey = 'test-client',
    signal,
    onOpen = () => {},
    onEvent = () => {},
    ...request
  }: OpenOptions = {},
  purpose: Purpose = 'generation',
): Promise<Session> {
  const open = async (): Promise<Session> => {
    const target = await pool.resolve(identifier, purpose);
    const context = testContext({ caller: { clientKey }, ...(signal && { signal }) });
    const session = pool.open({ target, ...request }, context);
    try {
      onOpen(session);
      for await (const event of session.ready()) onEvent(event);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  };
  const session = open();
  // A test may leave a request waiting; its refusal must not fail another test.
  session.catch(() => {});
  return session;
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
