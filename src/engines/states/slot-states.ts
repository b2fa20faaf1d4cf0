import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { EngineSlots } from '../engine.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { CachedPrompt } from './prefix-hash.ts';
import type { DiskState, DiskStates } from './disk-states.ts';
import type { MemoryState, MemoryStates } from './memory-states.ts';
import type { Slot, SlotTable } from './slot-table.ts';

/** Time limit for saving and restoring. After it, the prompt is read instead. */
export const defaultPrepareMs = 5_000;
/** A restored state was useless if less than this share of the expected tokens came from the cache. */
const minUsedShare = 0.25;
/** After this many useless states, an engine restores no more states. */
const maxUselessStates = 3;

export const unlimited: AbortSignal = new AbortController().signal;

export interface SlotStatesOptions {
  readonly states: Pick<EngineSlots, 'save' | 'restore' | 'erase' | 'read'>;
  /** Fingerprint of the engine. */
  readonly key: string;
  readonly memory: MemoryStates;
  /** True if the folder of `memory` is in memory, so that it may also have states of requests that are not stored. */
  readonly isMemory: boolean;
  readonly disk: DiskStates;
  readonly logger: Logger;
  /** Maximum time that a request waits for saving and restoring. */
  readonly maxPrepareMs?: number;
}

export type SavedState =
  | { readonly place: 'memory'; readonly prompt: CachedPrompt; readonly state: MemoryState }
  | { readonly place: 'disk'; readonly prompt: CachedPrompt; readonly state: DiskState };

/** The states of one engine's slots, in its folder and on disk. */
export class SlotStates {
  readonly #options: SlotStatesOptions;
  readonly #table: SlotTable;
  readonly #writing = new Set<Promise<void>>();
  #uselessCount = 0;
  #restoringCount = 0;
  #hasFailedInRestore = false;

  constructor(options: SlotStatesOptions, table: SlotTable) {
    this.#options = options;
    this.#table = table;
  }

  /** True while the engine restores a state, and if it ended during a restoration. */
  get isRestoring(): boolean {
    return this.#restoringCount > 0 || this.#hasFailedInRestore;
  }

  /** Lists the states that can be restored. */
  list(): readonly SavedState[] {
    if (this.#uselessCount >= maxUselessStates) return [];
    const { memory, disk, key } = this.#options;
    return [
      ...memory.list().map((state) => ({ place: 'memory' as const, prompt: state.prompt, state })),
      ...disk.list(key).map((state) => ({ place: 'disk' as const, prompt: state.prompt, state })),
    ];
  }

  /** Deletes the states in memory of conversations that are no longer wanted. */
  async removeUnwanted(isWanted: (prompt: CachedPrompt) => Promise<boolean>): Promise<void> {
    const { memory } = this.#options;
    for (const state of memory.list()) {
      if (!(await isWanted(state.prompt))) await memory.remove(state);
    }
  }

  /** Saves a slot to the engine's folder. Undefined if there is too little room. */
  async save(
    slot: Slot,
    content: CachedPrompt,
    signal: AbortSignal,
  ): Promise<MemoryState | undefined> {
    const { lastUsed } = slot;
    const state = await this.#saveFile(
      slot,
      content,
      this.#table.isKeepable(content),
      signal,
      () => {
        // If a generation has begun in the meantime, the file may contain its tokens.
        if (slot.lastUsed !== lastUsed) throw new TimeoutError('slot in use');
      },
    );
    if (state !== undefined) slot.isSaved = true;
    return state;
  }

  /** Saves a slot. If allowed, also begins to copy the state to disk, which does not delay the request. */
  async saveAndKeep(slot: Slot, content: CachedPrompt, signal: AbortSignal): Promise<void> {
    const state = await this.save(slot, content, signal);
    if (state !== undefined) this.#keep(state, AbortSignal.timeout(60_000));
  }

  /** Copies all states in memory to disk that may be written there. */
  async keepAll(signal: AbortSignal): Promise<void> {
    for (const state of this.#options.memory.list()) this.#keep(state, signal);
    await Promise.all(this.#writing);
  }

  /**
   * Saves the beginning of a prompt from a slot in use. The state is not copied to disk, since the states of the
   * conversations contain it.
   */
  async share(slot: Slot, beginning: CachedPrompt, signal: AbortSignal): Promise<void> {
    const { isMemory, maxPrepareMs = defaultPrepareMs } = this.#options;
    if (!isMemory) return;
    await withTimeout(maxPrepareMs, signal, (inner) =>
      this.#saveFile(slot, beginning, false, inner),
    );
  }

  async #saveFile(
    slot: Slot,
    content: CachedPrompt,
    isKeepable: boolean,
    signal: AbortSignal,
    check: () => void = () => {},
  ): Promise<MemoryState | undefined> {
    const { memory, states } = this.#options;
    const fileName = await memory.newFile(content.heldTokens);
    if (fileName === undefined) return undefined;
    try {
      const heldTokens = await states.save(slot.id, fileName, signal);
      if (heldTokens === 0) throw new Error('the slot is empty');
      check();
      return await memory.add(fileName, { ...content, heldTokens }, isKeepable);
    } catch (error) {
      await memory.removeFile(fileName);
      throw error;
    }
  }

  /** Copies a state to disk in the background. */
  #keep(state: MemoryState, signal: AbortSignal): void {
    if (!state.isKeepable || state.isKept) return;
    const writing = this.#write(state, signal).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  async #write(state: MemoryState, signal: AbortSignal): Promise<void> {
    const { disk, key, memory, isMemory } = this.#options;
    state.isKept = true;
    const path = memory.pathOf(state.fileName);
    state.isKept = (await disk.write(key, state.prompt, path, signal)) !== undefined;
    if (!isMemory) await memory.remove(state);
  }

  /**
   * Restores a state to a slot.
   *
   * @throws Error if the restoration fails; the slot's content is then unknown.
   */
  async restore(slot: Slot, { place, state }: SavedState, signal: AbortSignal): Promise<void> {
    const { memory, disk, states, isMemory } = this.#options;
    const read = async (fileName: string): Promise<void> => {
      this.#restoringCount += 1;
      try {
        const tokens = await states.restore(slot.id, fileName, unlimited);
        if (tokens !== state.prompt.heldTokens) throw new Error(`restored ${tokens} tokens`);
      } catch (error) {
        this.#hasFailedInRestore ||= error instanceof HearthError && error.code === 'crashed';
        throw error;
      } finally {
        this.#restoringCount -= 1;
      }
    };
    if (place === 'memory') {
      memory.touch(state);
      await read(state.fileName).catch(async (error: unknown) => {
        await memory.remove(state);
        throw error;
      });
      return;
    }
    const fileName = await memory.newFile(state.prompt.heldTokens);
    if (fileName === undefined) throw new Error('too little room');
    let isCopied = false;
    try {
      const target = memory.pathOf(fileName);
      await disk.restore(state, target, () => read(fileName), signal);
      if (isMemory) (await memory.add(fileName, state.prompt, true)).isKept = true;
      isCopied = isMemory;
    } finally {
      if (!isCopied) await memory.removeFile(fileName);
    }
  }

  /** Deletes a restored state if the engine could use only little of it. */
  verify({ place, state }: SavedState, expectedTokens: number, cachedTokens: number): void {
    if (cachedTokens >= expectedTokens * minUsedShare) return;
    const { memory, disk, logger } = this.#options;
    this.#uselessCount += 1;
    logger.warn({ expectedTokens, cachedTokens }, 'the engine did not use a restored state');
    void (place === 'memory' ? memory.remove(state) : disk.remove(state));
  }
}
