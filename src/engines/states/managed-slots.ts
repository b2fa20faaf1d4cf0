import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import type { ChatGeneration, EngineHandle, EngineSlots } from '../engine.ts';
import type { AnswerRecorder } from '../generation-account.ts';
import { AnswerLengths } from '../scheduler/prompt-cells.ts';
import type { Prefill } from '../scheduler/prefill.ts';
import type { CachedPrompt } from './prefix-hash.ts';
import type { Settle } from './slot-table.ts';
import type { SlotManager } from './slot-manager.ts';
import { commonTokens } from './shared-prefix.ts';

interface ManagedSlotsOptions {
  readonly manager: SlotManager;
  readonly prefill: Prefill;
  readonly slots: EngineSlots;
  /** Context length of one slot. */
  readonly contextLength: number;
  /** Idle time after which the slots are saved to disk. */
  readonly idleMs: number;
  /** Time limit for saving the slots when the engine stops. */
  readonly stopSaveMs: number;
}

/** An engine's slots if Hearth chooses them, with their work between generations. */
export class ManagedSlots {
  readonly manager: SlotManager;
  readonly prefill: Prefill;
  readonly contextLength: number;
  /** True if the slots together may need more cells than the cache has. */
  readonly canRunFull: boolean;
  readonly answers = new AnswerLengths();
  readonly #options: ManagedSlotsOptions;
  readonly #ended = new AbortController();
  #idleTimer: NodeJS.Timeout | undefined;
  #settling: { readonly abort: () => void; readonly done: Promise<void> } | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ManagedSlotsOptions) {
    this.#options = options;
    this.manager = options.manager;
    this.prefill = options.prefill;
    this.contextLength = options.contextLength;
    this.canRunFull = options.manager.table.canRunFull;
  }

  /** Ends the work of idle time, since a request has arrived. */
  async interruptIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#settling?.abort();
    await this.#settling?.done;
  }

  /** Call it when a generation has ended. */
  saveWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#ended.signal.aborted || !this.manager.table.isIdle) return;
    const { idleMs } = this.#options;
    this.#idleTimer = setTimeout(() => void this.#settleAndSave(), idleMs).unref();
  }

  /**
   * Returns a function for a slot that contains an answer with reasoning. The function replaces the content with the
   * beginning of the next turn's prompt, which has no reasoning.
   *
   * @param content The current content of the slot.
   */
  settleWith(
    slot: number,
    content: CachedPrompt,
    request: ChatGeneration,
    answer: AnswerRecorder,
  ): Settle {
    const { slots, prefill } = this.#options;
    return async (signal) => {
      const history = answer.historyWithoutReasoning(request);
      const prefix = answer.prefixWithoutReasoning(content.prefix);
      const stepTokens = prefill.speed.chunkTokens;
      const tokens = await settleAnswer(slots, slot, history, stepTokens, signal);
      return tokens === 0 ? content : { ...content, prefix, tokens, heldTokens: tokens };
    };
  }

  /** Wraps an engine so that its slots are saved before it stops. */
  attachTo(handle: EngineHandle): EngineHandle & { readonly managed: ManagedSlots } {
    const closed = handle.closed.then((exit) => {
      this.#ended.abort();
      clearTimeout(this.#idleTimer);
      return this.manager.isRestoring && exit.lackedMemory === undefined
        ? { ...exit, wasRestoring: true }
        : exit;
    });
    return {
      ...handle,
      managed: this,
      closed,
      stop: () => {
        this.#stopping ??= this.#saveAndStop(handle);
        return this.#stopping;
      },
    };
  }

  async #settleAndSave(): Promise<void> {
    const request = linkAbort(this.#ended.signal);
    this.#settling = {
      abort: () => request.abort(new Error('a request came')),
      done: this.manager.settleIdle(request.signal),
    };
    await this.#settling.done;
    this.#settling = undefined;
    request.dispose();
    await this.manager.saveAll(this.#ended.signal);
  }

  async #saveAndStop(handle: EngineHandle): Promise<void> {
    await this.interruptIdle();
    const limit = AbortSignal.timeout(this.#options.stopSaveMs);
    await this.manager.saveAll(AbortSignal.any([this.#ended.signal, limit]));
    this.#ended.abort();
    await handle.stop();
  }
}

/** Two messages without a common beginning, to find the tokens that precede any next message. */
const nextMessages = ['A', '1'];

/**
 * Reads a conversation into a slot as the next turn will send it, up to the next user message. Without this, the slot
 * would differ from the next prompt, since chat templates leave out the reasoning of earlier answers.
 *
 * @param history Ends with an answer.
 * @param stepTokens Tokens to read at once.
 * @returns The number of tokens in the slot afterwards; 0 if the slot is unchanged.
 * @throws The errors of `EngineSlots`; the signal's reason when aborted.
 */
export async function settleAnswer(
  slots: Pick<EngineSlots, 'tokenize' | 'read'>,
  slot: number,
  history: ChatGeneration,
  stepTokens: number,
  signal: AbortSignal,
): Promise<number> {
  const prompts = await Promise.all(
    nextMessages.map((content) => {
      const messages = [...history.messages, { role: 'user', content } as const];
      return slots.tokenize({ ...history, messages }, signal);
    }),
  );
  const [one = [], other = []] = prompts;
  const common = commonTokens(one, other);
  const { adapters } = history;
  for (let end = Math.min(stepTokens, common); end > 0; end = Math.min(end + stepTokens, common)) {
    await slots.read({ slot, reusesSlot: true, adapters }, one.slice(0, end), signal);
    if (end === common) break;
  }
  return common;
}
