import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineCapabilities, EngineHandle } from '../engine.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Logger } from '../../kernel/logger.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { CachedPrompt } from './prefix-hash.ts';
import { canSaveSlots, engineFingerprint } from './engine-fingerprint.ts';
import { DiskStates } from './disk-states.ts';
import { MemoryStates } from './memory-states.ts';
import { openScratchFolder, type ScratchFolder } from './scratch-folder.ts';
import { PrefillSpeed } from '../scheduler/prefill.ts';
import { SlotManager } from './slot-manager.ts';
import type { CacheSize } from './slot-table.ts';

const stopSaveMs = 5_000;
const availableShare = 0.5;

interface StateCacheOptions {
  /** The server's home folder. */
  readonly home: string;
  /** Maximum size of the states on disk. */
  readonly maxBytes: number;
  readonly persistsStateless: boolean;
  /** True if requests need API tokens. Then the prompts of one token must not speed up requests of another. */
  readonly isolatesTokens: boolean;
  readonly idleMs: number;
  /** True if the prompt's response is still stored and its owner's token still exists. */
  readonly isWanted: (prompt: CachedPrompt) => Promise<boolean>;
  /** Memory that programs can use now. */
  readonly availableBytes: () => number;
  readonly logger: Logger;
  /** Folders of in-memory file systems; absent: the system's. */
  readonly memoryFolders?: readonly string[];
}

/** An engine, and its slots if Hearth chooses them. */
export type LoadedEngine = EngineHandle & { readonly slotManager?: SlotManager };

interface EngineFacts {
  readonly selection: ModelSelection;
  readonly slotCount: number;
  /** True if requests choose adapters. */
  readonly hasAdapters?: boolean;
  /** Number of whole contexts in a cache that the slots share; absent: each slot has its own cache. */
  readonly sharedContexts?: number | undefined;
  /** Maximum tokens in idle slots, beyond which they slow down the engine; absent: no limit. */
  readonly maxIdleTokens?: number | undefined;
  /** Tokens that the engine reads in one step. */
  readonly batchTokens: number;
  /** Maximum memory for states outside of slots. */
  readonly maxMemoryBytes: number;
  /** All settings that affect cached tokens: runtime, context, types of the cache, ... */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The preparations for an engine that is about to start. */
export interface CacheLaunch {
  /** For `LaunchSpec.slotFolder`. */
  readonly slotFolder: string;
  /** True if the engine's own prompt cache must be off, since it does not distinguish API tokens. */
  readonly replacesPromptCache: boolean;
  /** Connects the engine. */
  attach(handle: EngineHandle): Promise<LoadedEngine>;
  /** Must be called if the engine was not started. */
  discard(): Promise<void>;
}

/** Opens the state cache; undefined if it is disabled or its folders can't be created. Never throws. */
export async function openStateCache({
  isEnabled,
  ...options
}: StateCacheOptions & { readonly isEnabled: boolean }): Promise<StateCache | undefined> {
  if (!isEnabled) return undefined;
  try {
    return await StateCache.open(options);
  } catch (err) {
    options.logger.warn({ err }, 'the slots of engines are not saved');
    return undefined;
  }
}

/** The states of all engines of a server. */
export class StateCache {
  readonly #options: StateCacheOptions;
  readonly #disk: DiskStates;
  readonly #scratch: ScratchFolder;
  readonly #engines = new Set<SlotManager>();

  private constructor(options: StateCacheOptions, disk: DiskStates, scratch: ScratchFolder) {
    this.#options = options;
    this.#disk = disk;
    this.#scratch = scratch;
  }

  /** @throws Error if the folders can't be created. */
  static async open(options: StateCacheOptions): Promise<StateCache> {
    const { home, maxBytes, isWanted, logger, memoryFolders } = options;
    const scratch = await openScratchFolder({
      home,
      logger,
      ...(memoryFolders === undefined ? {} : { memoryFolders }),
    });
    const folder = join(home, 'warm-state', 'kept');
    const disk = await DiskStates.open({ folder, maxBytes, isWanted, logger });
    return new StateCache(options, disk, scratch);
  }

  /** Prepares the start of an engine. Undefined if this fails or the model's slots can't be saved. Never throws. */
  async prepare(facts: EngineFacts): Promise<CacheLaunch | undefined> {
    const { selection } = facts;
    const { logger } = this.#options;
    if (!canSaveSlots(selection.model)) return undefined;
    try {
      const key = await this.#keyOf(facts);
      const slotFolder = await this.#scratch.create();
      const discard = (): Promise<void> => rm(slotFolder, { recursive: true, force: true });
      return {
        slotFolder,
        replacesPromptCache: this.#scratch.isMemory || this.#options.isolatesTokens,
        discard,
        attach: async (handle) => {
          void handle.closed.then(discard).catch((err: unknown) => {
            logger.warn({ err, folder: slotFolder }, 'states of slots not removed');
          });
          // If the file was replaced while the engine read it, no state on disk fits, so the key is random.
          const isSame = (await this.#keyOf(facts).catch(() => '')) === key;
          return this.#attach(handle, facts, isSame ? key : randomUUID(), slotFolder);
        },
      };
    } catch (err) {
      logger.warn({ err }, 'the slots of an engine are not saved');
      return undefined;
    }
  }

  /** Deletes the states of responses that are no longer stored, and of API tokens that no longer exist. */
  async removeUnwanted(): Promise<void> {
    await this.#disk.removeUnwanted();
    for (const slots of this.#engines) await slots.removeUnwanted(this.#options.isWanted);
  }

  async close(): Promise<void> {
    await this.#scratch.remove();
  }

  #attach(handle: EngineHandle, facts: EngineFacts, key: string, folder: string): LoadedEngine {
    const { slots: engineSlots } = handle;
    if (engineSlots === undefined) return handle;
    const { persistsStateless, idleMs, logger } = this.#options;
    const { attention } = facts.selection.model;
    const manager = new SlotManager({
      states: engineSlots,
      slotCount: facts.slotCount,
      hasAdapters: facts.hasAdapters === true,
      ...omitUndefined({ cacheSize: cacheSize(facts, handle.capabilities) }),
      key,
      memory: new MemoryStates({
        folder,
        maxBytes: facts.maxMemoryBytes,
        freeBytes: () => this.#freeBytes(),
        bytesPerToken: (attention?.keyBytesPerToken ?? 0) + (attention?.valueBytesPerToken ?? 0),
      }),
      isMemory: this.#scratch.isMemory,
      disk: this.#disk,
      persistsStateless,
      speed: new PrefillSpeed(facts.batchTokens),
      contextLength: handle.capabilities.contextLength,
      idleMs,
      stopSaveMs,
      logger,
    });
    this.#engines.add(manager);
    void handle.closed.then(() => this.#engines.delete(manager));
    return manager.attachTo(handle);
  }

  /** Free bytes for states. States in memory leave half of the available memory to later loads. */
  async #freeBytes(): Promise<number> {
    const bytes = await this.#scratch.freeBytes();
    if (!this.#scratch.isMemory) return bytes;
    return Math.min(bytes, this.#options.availableBytes() * availableShare);
  }

  #keyOf({ selection: { model, variant }, slotCount, settings }: EngineFacts): Promise<string> {
    const files = model.projectorPath === null ? [] : [model.projectorPath];
    return engineFingerprint([...variant.files, ...files], { ...settings, slotCount });
  }
}

function cacheSize(
  { sharedContexts, maxIdleTokens }: EngineFacts,
  { contextLength }: EngineCapabilities,
): CacheSize | undefined {
  if (sharedContexts === undefined) return undefined;
  return { totalCells: sharedContexts * contextLength, contextLength, maxIdleCells: maxIdleTokens };
}
