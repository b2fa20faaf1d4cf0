import type { EngineSlots } from '../engine/engine.ts';
import { HearthError } from '../contract/errors.ts';
import { abortable } from '../concurrency/abortable.ts';
import { TimeoutError, withTimeout } from '../concurrency/with-timeout.ts';
import type { Logger } from '../observability/logger.ts';
import type { CachedPrompt } from './cached-prompt.ts';
import type { PromptChain } from './prompt-chain.ts';
import { chooseSlot, minTokens, type SlotChoice, type SlotView } from './choose-slot.ts';
import type { KeptState, KeptStates } from './kept-states.ts';
import type { MemoryState, MemoryStates } from './memory-states.ts';
import type { Settle, SlotRequest, SlotUse } from './slot-use.ts';

/** A request does not wait for the saving of a slot whose content is read again in less time. */
const minReadSeconds = 0.25;
/** Saving and restoring end after this time; the prompt is then read instead. */
const defaultPrepareMs = 5_000;
/** A restored state has less use than expected if fewer of its tokens than this share came from the cache. */
const minUsedShare = 0.25;
/** After so many useless states, an engine restores no more. */
const maxUselessStates = 3;

export interface WarmSlotsOptions {
  readonly states: Pick<EngineSlots, 'save' | 'restore'>;
  readonly slotCount: number;
  /** Fingerprint of the engine. */
  readonly key: string;
  readonly memory: MemoryStates;
  /** Whether the folder of `memory` is in memory, so that states of requests that are not stored may be there. */
  readonly isMemory: boolean;
  readonly kept: KeptStates;
  /** Whether states of requests that are not stored may be written to disk, too. */
  readonly persistsStateless: boolean;
  /** Time that the engine takes to read a prompt; undefined while its speed is not known. */
  readonly secondsToRead: (tokens: number) => number | undefined;
  readonly logger: Logger;
  /** Time that a request waits at most for saving and restoring. */
  readonly maxPrepareMs?: number;
}

type SavedState =
  | { readonly place: 'memory'; readonly prompt: CachedPrompt; readonly state: MemoryState }
  | { readonly place: 'disk'; readonly prompt: CachedPrompt; readonly state: KeptState };

interface Slot {
  readonly id: number;
  content: CachedPrompt | undefined;
  /** Of the prompt that the engine has; undefined: unknown. */
  owner: { readonly id: string | null } | undefined;
  /** Whether it was never used. */
  isFresh: boolean;
  lastUsed: number;
  isSaved: boolean;
  isBusy: boolean;
  settle: Settle | undefined;
}

/**
 * The slots of one engine: chooses one for each generation, saves what would be lost and restores what was saved. A
 * failure to save or restore costs time only: the engine reads the prompt.
 */
export class WarmSlots {
  readonly #options: WarmSlotsOptions;
  readonly #slots: readonly Slot[];
  readonly #writing = new Set<Promise<void>>();
  /** Called when a slot is released. */
  readonly #waiting = new Set<() => void>();
  #useCount = 0;
  #uselessCount = 0;
  #restoringCount = 0;
  #hasFailedInRestore = false;

  constructor(options: WarmSlotsOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.slotCount }, (_, id) => ({
      id,
      content: undefined,
      owner: undefined,
      isFresh: true,
      lastUsed: 0,
      isSaved: false,
      isBusy: false,
      settle: undefined,
    }));
  }

  /** Whether the engine restores a state, or ended while it did. */
  get isRestoring(): boolean {
    return this.#restoringCount > 0 || this.#hasFailedInRestore;
  }

  /** Whether no generation runs. */
  get isIdle(): boolean {
    return this.#slots.every(({ isBusy }) => !isBusy);
  }

  /** Tokens of a prompt that a free slot or a state has, estimated. */
  matchedTokens(chain: PromptChain): number {
    return this.#choose(chain)?.choice.expectedTokens ?? 0;
  }

  /**
   * Takes a slot for a prompt, at once if one is free.
   *
   * @throws The signal's reason when aborted.
   */
  async acquire(prompt: SlotRequest, signal: AbortSignal): Promise<SlotUse> {
    for (;;) {
      const chosen = this.#choose(prompt.chain);
      if (chosen !== undefined) return this.#take(chosen, prompt, signal);
      await this.#nextRelease(signal);
    }
  }

  async #nextRelease(signal: AbortSignal): Promise<void> {
    let wake = (): void => {};
    const released = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    await abortable(released, signal).finally(() => this.#waiting.delete(wake));
  }

  #choose(chain: PromptChain): { slot: Slot; choice: SlotChoice<SavedState> } | undefined {
    const free = this.#slots.filter(({ isBusy }) => !isBusy);
    const choice = chooseSlot(
      free.map((slot) => this.#viewOf(slot)),
      this.#savedStates(),
      chain,
    );
    const slot = free.find(({ id }) => id === choice?.slotId);
    return choice === undefined || slot === undefined ? undefined : { slot, choice };
  }

  async #take(
    { slot, choice }: { readonly slot: Slot; readonly choice: SlotChoice<SavedState> },
    prompt: SlotRequest,
    signal: AbortSignal,
  ): Promise<SlotUse> {
    slot.isBusy = true;
    slot.settle = undefined;
    this.#useCount += 1;
    slot.lastUsed = this.#useCount;
    const restored = await this.#prepare(slot, choice, signal);
    if (signal.aborted) {
      this.#free(slot);
      throw signal.reason;
    }
    const reusesSlot = restored !== undefined || slot.isFresh || slot.owner?.id === prompt.ownerId;
    slot.owner = { id: prompt.ownerId };
    slot.isFresh = false;
    return {
      slotId: slot.id,
      reusesSlot,
      expectedTokens: reusesSlot ? choice.expectedTokens : 0,
      share: ({ chain, tokens, heldTokens }) =>
        this.#share(slot, { ...prompt, chain, tokens, heldTokens }, signal).catch(this.#warn),
      release: (content, cachedTokens, settle) => {
        slot.content = content;
        slot.isSaved = false;
        slot.settle = this.#isKeepable(content) ? settle : undefined;
        this.#free(slot);
        if (restored !== undefined && cachedTokens !== undefined) {
          this.#verify(restored, choice.expectedTokens, cachedTokens);
        }
      },
    };
  }

  #free(slot: Slot): void {
    slot.isBusy = false;
    for (const wake of this.#waiting) wake();
  }

  /** Settles the slots whose states are written to disk. Ends when aborted; never throws. */
  async settleIdle(signal: AbortSignal): Promise<void> {
    for (const slot of this.#slots) {
      const { settle } = slot;
      if (signal.aborted) return;
      if (slot.isBusy || settle === undefined) continue;
      slot.isBusy = true;
      try {
        slot.content = await settle(signal);
        slot.isSaved = false;
        slot.settle = undefined;
      } catch (error) {
        if (!signal.aborted) {
          slot.settle = undefined;
          this.#warn(error);
        }
      } finally {
        this.#free(slot);
      }
    }
  }

  /** Saves the slots that are not in use to disk, the last used first. Ends early when aborted; never throws. */
  async saveAll(signal: AbortSignal): Promise<void> {
    await abortable(this.#saveAll(signal), signal).catch((error: unknown) => {
      if (!signal.aborted) this.#warn(error);
    });
  }

  /** Deletes the states in memory of conversations that are no longer wanted. */
  async removeUnwanted(isWanted: (prompt: CachedPrompt) => Promise<boolean>): Promise<void> {
    const { memory } = this.#options;
    for (const state of memory.list()) {
      if (!(await isWanted(state.prompt))) await memory.remove(state);
    }
  }

  async #saveAll(signal: AbortSignal): Promise<void> {
    const slots = this.#slots.toSorted((one, other) => other.lastUsed - one.lastUsed);
    for (const slot of slots) {
      if (signal.aborted) return;
      const { content } = slot;
      if (slot.isBusy || slot.isSaved || content === undefined || content.tokens < minTokens)
        continue;
      if (this.#isKeepable(content)) await this.#save(slot, content, signal).catch(this.#warn);
    }
    for (const state of this.#options.memory.list()) this.#keep(state, signal);
    await Promise.all(this.#writing);
  }

  #viewOf(slot: Slot): SlotView {
    const { id, content, lastUsed, isSaved } = slot;
    const { isMemory, secondsToRead } = this.#options;
    const isSavable = content !== undefined && (isMemory || this.#isKeepable(content));
    const readSeconds = secondsToRead(content?.heldTokens ?? 0) ?? minReadSeconds;
    return { id, content, lastUsed, isSaved, isSavable, isReadFast: readSeconds < minReadSeconds };
  }

  #savedStates(): readonly SavedState[] {
    if (this.#uselessCount >= maxUselessStates) return [];
    const { memory, kept, key } = this.#options;
    return [
      ...memory.list().map((state) => ({ place: 'memory' as const, prompt: state.prompt, state })),
      ...kept.list(key).map((state) => ({ place: 'disk' as const, prompt: state.prompt, state })),
    ];
  }

  /** Whether a prompt may be written to disk. */
  #isKeepable({ responseId }: CachedPrompt): boolean {
    return responseId !== null || this.#options.persistsStateless;
  }

  /** Saves and restores within a time limit. @returns the state that the slot has now, if one was restored */
  async #prepare(
    slot: Slot,
    { saves, restores }: SlotChoice<SavedState>,
    signal: AbortSignal,
  ): Promise<SavedState | undefined> {
    const { content } = slot;
    if (!saves && restores === undefined) return undefined;
    try {
      return await withTimeout(
        this.#options.maxPrepareMs ?? defaultPrepareMs,
        signal,
        async (inner) => {
          if (saves && content !== undefined) {
            const state = await this.#save(slot, content, inner).catch(this.#warn);
            // Writing to disk does not delay the request.
            if (state !== undefined) this.#keep(state, AbortSignal.timeout(60_000));
          }
          if (restores === undefined) return undefined;
          // From here on the content of the slot is unknown.
          slot.content = undefined;
          slot.owner = undefined;
          slot.isFresh = false;
          await this.#restore(slot, restores, inner);
          return restores;
        },
      );
    } catch (error) {
      if (!signal.aborted) this.#warn(error);
      return undefined;
    }
  }

  /** Saves a slot into the folder of the engine. Undefined if there is too little room. */
  async #save(
    slot: Slot,
    content: CachedPrompt,
    signal: AbortSignal,
  ): Promise<MemoryState | undefined> {
    const { lastUsed } = slot;
    const state = await this.#saveFile(slot, content, this.#isKeepable(content), signal, () => {
      // A generation that began in the meantime would be in the file.
      if (slot.lastUsed !== lastUsed) throw new TimeoutError('slot in use');
    });
    if (state !== undefined) slot.isSaved = true;
    return state;
  }

  /** Saves a slot in use. The state is not written to disk: it is a part of those of the conversations. */
  async #share(slot: Slot, beginning: CachedPrompt, signal: AbortSignal): Promise<void> {
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
    if (!(await memory.makeRoom(content.heldTokens))) return undefined;
    const fileName = memory.newFileName();
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
    const { kept, key, memory, isMemory } = this.#options;
    state.isKept = true;
    const path = memory.pathOf(state.fileName);
    state.isKept = (await kept.write(key, state.prompt, path, signal)) !== undefined;
    if (!isMemory) await memory.remove(state);
  }

  async #restore(slot: Slot, { place, state }: SavedState, signal: AbortSignal): Promise<void> {
    const { memory, kept, states, isMemory } = this.#options;
    const unlimited = new AbortController().signal;
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
    if (!(await memory.makeRoom(state.prompt.heldTokens))) throw new Error('too little room');
    const fileName = memory.newFileName();
    let isCopied = false;
    try {
      const target = memory.pathOf(fileName);
      await kept.restore(state, target, () => read(fileName), signal);
      isCopied = isMemory;
      if (isCopied) (await memory.add(fileName, state.prompt, true)).isKept = true;
    } finally {
      if (!isCopied) await memory.removeFile(fileName);
    }
  }

  /** Deletes a restored state of which the engine could use little. */
  #verify({ place, state }: SavedState, expectedTokens: number, cachedTokens: number): void {
    if (cachedTokens >= expectedTokens * minUsedShare) return;
    const { memory, kept, logger } = this.#options;
    this.#uselessCount += 1;
    logger.warn({ expectedTokens, cachedTokens }, 'the engine did not use a restored state');
    void (place === 'memory' ? memory.remove(state) : kept.remove(state));
  }

  readonly #warn = (err: unknown): undefined => {
    this.#options.logger.warn({ err }, 'state of a slot not saved or restored');
  };
}
