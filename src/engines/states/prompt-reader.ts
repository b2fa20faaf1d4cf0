import type {
  Engine,
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import type { RequestContext } from '../../request/request-context.ts';
import { ActivePrompt } from './active-prompt.ts';
import { beginningOf, type PromptChain } from './prompt-chain.ts';
import { ReadingQueue } from './reading-queue.ts';
import type { ReadingSpeed } from './reading-speed.ts';
import { commonTokens, sharedPrefix } from './shared-prefix.ts';
import type { SlotUse } from './slot-use.ts';
import type { WarmSlots } from './warm-slots.ts';

/** A longer beginning is saved in addition only if it is longer by this. */
const minMoreTokens = 64;

interface PromptReaderOptions {
  readonly slots: Pick<EngineSlots, 'tokenize' | 'read'>;
  readonly warmSlots: Pick<WarmSlots, 'acquire' | 'tryAcquire' | 'matchedTokens'>;
  readonly speed: ReadingSpeed;
  /** Maximum tokens of a prompt; the engine rejects longer ones. */
  readonly contextLength: number;
}

/** A prompt whose turn has come, with its slot. */
interface Admission {
  readonly prompt: ActivePrompt;
  readonly use: SlotUse;
  /** Ends the turn of a long prompt. */
  readonly leave: (() => void) | undefined;
}

/** Tokens that were read before the generation. */
interface ReadPieces {
  /** Tokens of them that the slot already had. */
  readonly cachedTokens: number;
  readonly promptMs: number;
}

/** The beginning of a prompt that others share. */
interface Shared {
  readonly chain: PromptChain;
  readonly tokens: number;
}

/**
 * Reads long prompts one at a time, and in pieces while other generations of the engine write: each step of the engine
 * reads and writes for all its slots, so that a stream waits as long as the step of the longest prompt takes. Short
 * prompts pass long ones. A beginning that other prompts share is saved as soon as it is read, and they restore it.
 */
export class PromptReader {
  readonly #options: PromptReaderOptions;
  readonly #queue = new ReadingQueue();
  readonly #active = new Set<ActivePrompt>();
  #writingCount = 0;

  constructor(options: PromptReaderOptions) {
    this.#options = options;
  }

  /**
   * Waits for the turn of a prompt and takes a slot for it. To be followed by `generate`, and by `finish` after the
   * slot was released.
   *
   * @throws The signal's reason when aborted.
   */
  async admit(
    request: GenerationRequest,
    ownerId: string | null,
    chain: PromptChain,
    signal: AbortSignal,
  ): Promise<Admission> {
    const { warmSlots, slots } = this.#options;
    const prompt = new ActivePrompt(request, ownerId, chain, slots);
    this.#active.add(prompt);
    let leave: (() => void) | undefined;
    try {
      const entered = await this.#queue.enter(
        () => this.#isLong(chain, () => warmSlots.matchedTokens(chain)),
        // The slot is taken before other prompts look for free ones.
        () => ({ taking: warmSlots.tryAcquire(prompt, signal) }),
        signal,
      );
      ({ leave } = entered);
      const { taking } = entered.begun;
      if (taking !== undefined) return { prompt, leave, use: await taking };
      // Who has a slot may wait for the turn, so no prompt with the turn waits for a slot.
      leave?.();
      return { prompt, leave: undefined, use: await warmSlots.acquire(prompt, signal) };
    } catch (error) {
      leave?.();
      this.#active.delete(prompt);
      throw error;
    }
  }

  /** Like `Engine.generate`, in the slot of the admission. */
  async *generate(
    engine: Pick<Engine, 'generate'>,
    { prompt, use, leave: leaveFirst }: Admission,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent> {
    const { request, chain } = prompt;
    const { slotId, reusesSlot, expectedTokens } = use;
    let leave = leaveFirst;
    let isWriting = false;
    let isAlone = false;
    try {
      // It had to wait for its slot, or a state was not restored, so that the prompt is long after all.
      if (leave === undefined && this.#isLong(chain, () => expectedTokens)) {
        ({ leave } = await this.#queue.enter(
          () => true,
          () => {},
          context.signal,
        ));
      }
      const pieces =
        leave === undefined ? undefined : yield* this.#readPieces(prompt, use, context);
      const placed = { ...request, slot: slotId, reusesSlot: pieces !== undefined || reusesSlot };
      for await (const event of engine.generate(placed, context)) {
        if (!isWriting && isOutput(event)) {
          isWriting = true;
          isAlone = this.#active.size === 1;
          this.#writingCount += 1;
          leave?.();
        }
        if (event.type === 'prompt.progress') use.noteTokens(event.totalTokens);
        if (event.type === 'generation.end') this.#learn(event.usage, chain, isAlone);
        yield pieces === undefined ? event : withPieces(event, pieces);
      }
    } finally {
      if (isWriting) this.#writingCount -= 1;
      leave?.();
    }
  }

  finish({ prompt }: Admission): void {
    this.#active.delete(prompt);
    this.#queue.advance();
  }

  /** Notes the speed of a prompt that was read while the engine did nothing else. */
  #learn(
    { promptTokens, cachedTokens, promptMs }: GenerationUsage,
    chain: PromptChain,
    isAlone: boolean,
  ): void {
    const { speed } = this.#options;
    speed.learnTokens(promptTokens, chain);
    if (isAlone) speed.measure(promptTokens - cachedTokens, promptMs);
  }

  #isLong(chain: PromptChain, matchedTokens: () => number): boolean {
    const { speed } = this.#options;
    const tokens = speed.estimateTokens(chain);
    const { pieceTokens } = speed;
    return tokens > pieceTokens && tokens - matchedTokens() > pieceTokens;
  }

  /** Whether the generation may read the whole prompt: no other request is there, and it takes a second at most. */
  #isReadAtOnce(chain: PromptChain, expectedTokens: number): boolean {
    const { speed } = this.#options;
    if (this.#active.size > 1 || this.#writingCount > 0) return false;
    return speed.estimateTokens(chain) - expectedTokens <= speed.chunkTokens / 2;
  }

  /**
   * Reads all but the last piece, which the generation reads: that saves a step. Undefined if nothing was read.
   *
   * @throws The signal's reason when aborted; other failures are left to the generation.
   */
  async *#readPieces(
    prompt: ActivePrompt,
    use: SlotUse,
    { signal, logger }: RequestContext,
  ): AsyncGenerator<GenerationEvent, ReadPieces | undefined> {
    const { slots, speed, contextLength } = this.#options;
    let pieces: ReadPieces | undefined;
    if (this.#isReadAtOnce(prompt.chain, use.expectedTokens)) return undefined;
    try {
      const tokens = (await prompt.tokens(signal)) ?? [];
      if (tokens.length >= contextLength) return undefined;
      const last = tokens.length - 1;
      let end = use.expectedTokens;
      let sharedTokens = 0;
      for (;;) {
        const shared = await this.#findShared(prompt, tokens, sharedTokens, signal);
        if (shared !== undefined && shared.tokens <= end) {
          sharedTokens = shared.tokens;
          await use.share({ ...shared, heldTokens: end });
          this.#queue.advance();
          continue;
        }
        const writing = this.#writingCount;
        const step = writing > 0 ? speed.pieceTokens : speed.chunkTokens;
        if (end >= last || (shared === undefined && tokens.length - end <= step)) break;
        end = Math.min(last, end + step, shared?.tokens ?? last);
        const placement = { slot: use.slotId, reusesSlot: pieces !== undefined || use.reusesSlot };
        const read = await slots.read(placement, tokens.slice(0, end), signal);
        const promptMs = (pieces?.promptMs ?? 0) + read.promptMs;
        pieces = { cachedTokens: pieces?.cachedTokens ?? read.cachedTokens, promptMs };
        const readTokens = end - read.cachedTokens;
        // Each of the others wrote a token in the same step.
        speed.measure(readTokens + writing, read.promptMs);
        if (writing > 0 && readTokens >= step) speed.measurePiece(readTokens, read.promptMs);
        yield {
          type: 'prompt.progress',
          processedTokens: end,
          cachedTokens: pieces.cachedTokens,
          totalTokens: tokens.length,
        };
      }
    } catch (err) {
      signal.throwIfAborted();
      logger.warn({ err }, 'a prompt was not read in pieces');
    }
    return pieces;
  }

  /** The beginning of a prompt that is worth saving for others, if it is longer than the one that was saved before. */
  async #findShared(
    prompt: ActivePrompt,
    tokens: readonly number[],
    savedTokens: number,
    signal: AbortSignal,
  ): Promise<Shared | undefined> {
    const { warmSlots, speed } = this.#options;
    const others = [...this.#active]
      .filter((other) => other !== prompt)
      .map((other) => ({
        prompt: other,
        chain: other.chain,
        matchedTokens: () => warmSlots.matchedTokens(other.chain),
      }));
    const shared = sharedPrefix(prompt.chain, tokens.length, others, (count) =>
      speed.secondsToRead(count),
    );
    if (shared === undefined) return undefined;
    const otherTokens = (await shared.other.prompt.tokens(signal)) ?? [];
    const common = commonTokens(tokens, otherTokens);
    if (common < savedTokens + minMoreTokens) return undefined;
    return { chain: beginningOf(prompt.chain, shared.characters), tokens: common };
  }
}

function isOutput({ type }: GenerationEvent): boolean {
  return type === 'content.delta' || type === 'reasoning.delta' || type === 'toolCall.delta';
}

/** The engine counts the tokens of the pieces as cached. */
function withPieces(event: GenerationEvent, pieces: ReadPieces): GenerationEvent {
  const { cachedTokens } = pieces;
  if (event.type === 'prompt.progress') return { ...event, cachedTokens };
  if (event.type !== 'generation.end' && event.type !== 'generation.cut') return event;
  const { usage } = event;
  const promptMs = usage.promptMs + pieces.promptMs;
  return { ...event, usage: { ...usage, cachedTokens, promptMs } };
}
