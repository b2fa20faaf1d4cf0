import { Mutex } from '../concurrency/semaphore.ts';
import type {
  Engine,
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine/engine.ts';
import type { RequestContext } from '../request/request-context.ts';
import { charactersOf, type PromptChain } from './prompt-chain.ts';
import type { SlotUse } from './warm-slots.ts';

/** Time that a running stream may wait while a piece of a prompt is read. */
const pieceSeconds = 0.4;
const minPieceTokens = 16;
/** Before the speed of reading is known. */
const firstPieceTokens = 64;
const firstTokensPerCharacter = 0.25;
/** Shorter readings say little about the speed. */
const minMeasuredTokens = 32;

/** Tokens that were read before the generation. */
interface ReadPieces {
  /** Tokens of them that the slot already had. */
  readonly cachedTokens: number;
  readonly promptMs: number;
}

/**
 * Reads long prompts one at a time, and in pieces while other generations of the engine write: each step of the engine
 * reads and writes for all its slots, so that a stream waits as long as the step of the longest prompt takes. Short
 * prompts pass long ones.
 */
export class PromptReader {
  readonly #slots: Pick<EngineSlots, 'tokenize' | 'read'>;
  readonly #maxPieceTokens: number;
  readonly #reading = new Mutex();
  #writingCount = 0;
  #tokensPerSecond: number | undefined;
  #tokensPerCharacter = firstTokensPerCharacter;

  /** @param maxPieceTokens Tokens that the engine reads in one step. */
  constructor(slots: Pick<EngineSlots, 'tokenize' | 'read'>, maxPieceTokens: number) {
    this.#slots = slots;
    this.#maxPieceTokens = maxPieceTokens;
  }

  /** Tokens of one piece. */
  get pieceTokens(): number {
    if (this.#tokensPerSecond === undefined)
      return Math.min(firstPieceTokens, this.#maxPieceTokens);
    const tokens = Math.round(pieceSeconds * this.#tokensPerSecond);
    return Math.min(Math.max(tokens, minPieceTokens), this.#maxPieceTokens);
  }

  /** Undefined while the speed of reading is not known. */
  secondsToRead(tokens: number): number | undefined {
    return this.#tokensPerSecond === undefined ? undefined : tokens / this.#tokensPerSecond;
  }

  /** Like `Engine.generate`, in a slot. */
  async *generate(
    engine: Pick<Engine, 'generate'>,
    request: GenerationRequest,
    chain: PromptChain,
    { slotId, reusesSlot, expectedTokens }: SlotUse,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent> {
    const placed = { ...request, slot: slotId, reusesSlot };
    const unread = charactersOf(chain) * this.#tokensPerCharacter - expectedTokens;
    const leave = unread > this.pieceTokens ? await this.#enter(context.signal) : undefined;
    let isWriting = false;
    try {
      const pieces =
        leave === undefined ? undefined : yield* this.#readPieces(placed, expectedTokens, context);
      const continued = pieces === undefined ? placed : { ...placed, reusesSlot: true };
      for await (const event of engine.generate(continued, context)) {
        if (!isWriting && isOutput(event)) {
          isWriting = true;
          this.#writingCount += 1;
          leave?.();
        }
        if (event.type === 'generation.end') this.#learn(event.usage, chain);
        yield pieces === undefined ? event : withPieces(event, pieces);
      }
    } finally {
      leave?.();
      if (isWriting) this.#writingCount -= 1;
    }
  }

  /** Waits until no other long prompt is read. @returns a function that ends the reading */
  #enter(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#reading.run(() => new Promise<void>((leave) => resolve(leave)), signal).catch(reject);
    });
  }

  /**
   * Reads all but the last piece while another generation writes. Undefined if no piece was read.
   *
   * @throws The signal's reason when aborted; other failures are left to the generation.
   */
  async *#readPieces(
    request: GenerationRequest & { readonly slot: number; readonly reusesSlot: boolean },
    expectedTokens: number,
    { signal, logger }: RequestContext,
  ): AsyncGenerator<GenerationEvent, ReadPieces | undefined> {
    let pieces: ReadPieces | undefined;
    try {
      if (this.#writingCount === 0) return undefined;
      const tokens = (await this.#slots.tokenize(request, signal)) ?? [];
      let end = expectedTokens + this.pieceTokens;
      while (end < tokens.length && this.#writingCount > 0) {
        const placement = {
          slot: request.slot,
          reusesSlot: pieces !== undefined || request.reusesSlot,
        };
        const read = await this.#slots.read(placement, tokens.slice(0, end), signal);
        const promptMs = (pieces?.promptMs ?? 0) + read.promptMs;
        pieces = { cachedTokens: pieces?.cachedTokens ?? read.cachedTokens, promptMs };
        this.#measure(end - read.cachedTokens, read.promptMs);
        yield {
          type: 'prompt.progress',
          processedTokens: end,
          cachedTokens: pieces.cachedTokens,
          totalTokens: tokens.length,
        };
        end += this.pieceTokens;
      }
    } catch (err) {
      signal.throwIfAborted();
      logger.warn({ err }, 'a prompt was not read in pieces');
    }
    return pieces;
  }

  #learn({ promptTokens, cachedTokens, promptMs }: GenerationUsage, chain: PromptChain): void {
    const characters = charactersOf(chain);
    if (characters > 0) this.#tokensPerCharacter = promptTokens / characters;
    this.#measure(promptTokens - cachedTokens, promptMs);
  }

  #measure(tokens: number, ms: number): void {
    if (tokens < minMeasuredTokens || ms <= 0) return;
    const measured = (tokens * 1000) / ms;
    this.#tokensPerSecond = (measured + (this.#tokensPerSecond ?? measured)) / 2;
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
