import { placedByEngine } from '../../../src/engines/placement/place-model.ts';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineExit, GenerationRequest } from '../../../src/engines/engine.ts';
import { Instance } from '../../../src/engines/loads/instance.ts';
import { Lease } from '../../../src/engines/loads/instance-lease.ts';
import { PromptMemory } from '../../../src/engines/rereads/prompt-memory.ts';
import { PrefillSpeed } from '../../../src/engines/scheduler/prefill.ts';
import { Session } from '../../../src/engines/session.ts';
import type { SessionHost } from '../../../src/engines/session-wait.ts';
import type { SessionEvent } from '../../../src/engines/session-event.ts';
import { DiskStates } from '../../../src/engines/states/disk-states.ts';
import { MemoryStates } from '../../../src/engines/states/memory-states.ts';
import { SlotManager } from '../../../src/engines/states/slot-manager.ts';
import type { CacheSize } from '../../../src/engines/states/slot-table.ts';
import { omitUndefined } from '../../../src/kernel/omit-undefined.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { deferred } from '../deferred.ts';
import { modelSelection } from '../models/model-entry.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { testContext } from '../test-context.ts';
import { TokenEngine } from './token-engine.ts';

const logger = createLogger('silent');

type TokenEngineOptions = NonNullable<ConstructorParameters<typeof TokenEngine>[1]>;

export interface ManagedInstanceOptions extends Omit<TokenEngineOptions, 'totalCells'> {
  readonly slotCount?: number;
  readonly batchTokens?: number;
  readonly queueCapacity?: number;
  /** Size of the cache, if the slots share one. */
  readonly cacheSize?: CacheSize;
  /** True if states are kept in memory instead of on a disk. */
  readonly isMemory?: boolean;
  readonly idleMs?: number;
  /** Used in place of the measured speed. */
  readonly speed?: { secondsToRead(tokens: number): number | undefined };
}

interface GenerateOptions {
  readonly tokenId?: string | null;
  readonly clientKey?: string;
  readonly signal?: AbortSignal;
  readonly isWhole?: boolean;
}

/** A raw prompt with this number of tokens. */
export function promptOf(
  name: string,
  tokens: number,
  limits: Pick<GenerationRequest, 'maxTokens' | 'responseId'> = {},
): GenerationRequest {
  return { kind: 'completion', prompt: name.padEnd(4).repeat(tokens), sampling: {}, ...limits };
}

/** An instance with a `TokenEngine`, and sessions of requests on it. */
export async function managedInstance(options: ManagedInstanceOptions = {}) {
  const {
    slotCount = 8,
    contextLength = 4096,
    batchTokens = 64,
    queueCapacity = 100,
    isMemory = true,
    idleMs = 1e6,
    cacheSize,
  } = options;
  const folder = await temporaryFolder();
  const states = join(folder, 'states');
  await mkdir(states);
  const { totalCells } = cacheSize ?? {};
  const engine = new TokenEngine(states, {
    ...options,
    contextLength,
    ...omitUndefined({ totalCells }),
  });
  const disk = await DiskStates.open({
    folder: join(folder, 'disk'),
    maxBytes: 1e9,
    isWanted: async () => true,
    logger,
    usableBytes: async () => 1e9,
  });
  const speed = Object.assign(new PrefillSpeed(batchTokens), options.speed);
  const manager = new SlotManager({
    states: engine.slots,
    slotCount,
    ...omitUndefined({ cacheSize }),
    key: 'key',
    memory: new MemoryStates({
      folder: states,
      maxBytes: 1e6,
      freeBytes: async () => 1e6,
      bytesPerToken: 10,
    }),
    isMemory,
    disk,
    persistsStateless: false,
    speed,
    contextLength,
    idleMs,
    stopSaveMs: 1000,
    logger,
    maxPrepareMs: 2_000,
  });
  const { slots } = engine;
  const closed = deferred<EngineExit>();
  const handle = manager.attachTo({
    engine: engine.engine,
    slots,
    capabilities: {
      runtimeName: 'tokens',
      runtimeVersion: '1',
      supportedFormats: ['gguf'],
      contextLength,
    },
    closed: closed.promise,
    stop: async () => void engine.calls.push('stop'),
  });
  const { model, variant } = modelSelection();
  const instance = new Instance({
    id: model.key,
    selection: { model, variant },
    config: { contextLength, parallel: slotCount },
    queueCapacity,
    needsMemory: false,
    placement: placedByEngine(0, undefined),
    gpuBytes: new Map(),
    mappedBytes: 0,
    ttlSeconds: undefined,
    isExplicit: true,
    settings: { inForce: {}, isPinned: false },
    owner: { registry: { hasWaiting: false }, becameIdle: () => {}, expire: () => {} },
  });
  instance.beginLoading();
  instance.becomeReady(handle, 0);
  const host: SessionHost = {
    promptMemory: new PromptMemory(),
    lease: (_, context) => new Lease(instance, context),
    joinLoad: async () => {},
  };

  function open({ tokenId = null, clientKey = 'client', signal, isWhole }: GenerateOptions = {}) {
    const context = testContext({ caller: { tokenId, clientKey }, ...omitUndefined({ signal }) });
    const { selection } = instance;
    return new Session(host, { target: { selection }, ...omitUndefined({ isWhole }) }, context);
  }

  /** Runs a request like a client: waits, generates and closes its session. */
  async function* generate(
    request: GenerationRequest,
    client: GenerateOptions = {},
  ): AsyncGenerator<SessionEvent, void, void> {
    const session = open(client);
    try {
      yield* session.ready();
      yield* session.generate(request);
    } finally {
      session.close();
    }
  }

  /** Runs a request until its generation ends. */
  async function run(request: GenerationRequest, client: GenerateOptions = {}) {
    let text = '';
    let cachedTokens = -1;
    let completionTokens = -1;
    for await (const event of generate(request, client)) {
      if (event.type === 'content.delta') text += event.text;
      if (event.type === 'generation.report') {
        ({ cachedTokens, completionTokens } = event.report.usage);
      }
    }
    return { text, cachedTokens, completionTokens };
  }

  /** Keeps every answer from ending before this number of tokens is written. */
  function holdUntil(count: number): void {
    const before = engine.step;
    let written = 0;
    const all = deferred<void>();
    engine.step = async (call, signal) => {
      await before(call, signal);
      if (!call.startsWith('end')) return;
      written += 1;
      if (written === count) all.resolve();
      await all.promise;
    };
  }

  return {
    engine,
    instance,
    scheduler: instance.scheduler,
    manager,
    prefill: manager.prefill,
    speed,
    handle,
    closed,
    open,
    generate,
    run,
    holdUntil,
    savedFiles: () => readdir(states),
  };
}
