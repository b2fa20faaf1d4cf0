import type { RequestContext } from '../../telemetry/request-context.ts';
import type {
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import { beginningOf, charactersOf, prefixHash, type PrefixHash } from '../states/prefix-hash.ts';
import { commonTokens, sharedPrefix } from '../states/shared-prefix.ts';
import type { SlotManager, SlotUse } from '../states/slot-manager.ts';

/** Time that a running stream may wait while a piece of a prompt is read. */
const pieceSeconds = 0.3;
const minPieceTokens = 16;
/** Before the speed of reading is known. */
const firstPieceTokens = 64;
/** Time after which a prompt is interrupted without a running stream: one may have begun, or others may wait. */
const chunkSeconds = 2;
const firstTokensPerCharacter = 0.25;
/** A chat template adds about as much to a prompt: tags, and often a system prompt of its own. */
const templateCharacters = 128;
/** Fewer tokens say nothing about the speed. */
const minMeasuredTokens = 8;
/** Fewer tokens take longer each: they show only the least speed. */
const minExactTokens = 32;
/** A longer beginning is saved in addition only if it is longer by this. */
const minMoreTokens = 64;

interface PrefillOptions {
  readonly slots: Pick<EngineSlots, 'tokenize' | 'read'>;
  readonly manager: Pick<SlotManager, 'matchedTokens'>;
  readonly speed: PrefillSpeed;
  /** Maximum tokens of a prompt; the engine rejects longer ones. */
  readonly contextLength: number;
}

export type PrefillProgress = Extract<GenerationEvent, { readonly type: 'prompt.progress' }>;

/** Tokens that were read before the generation. */
export interface ReadPieces {
  /** Tokens of them that the slot already had. */
  readonly cachedTokens: number;
  readonly promptMs: number;
}

/** The beginning of a prompt that others share. */
interface Shared {
  readonly prefix: PrefixHash;
  readonly tokens: number;
}

/** How fast an engine reads, measured with each prompt. */
export class PrefillSpeed {
  readonly #batchTokens: number;
  #tokensPerSecond: number | undefined;
  #pieceTokens: number | undefined;
  #tokensPerCharacter = firstTokensPerCharacter;

  /** @param batchTokens Tokens that the engine reads in one step. */
  constructor(batchTokens: number) {
    this.#batchTokens = batchTokens;
  }

  /** Tokens of a piece that is read while another generation writes. */
  get pieceTokens(): number {
    const measured = pieceSeconds * (this.#tokensPerSecond ?? firstPieceTokens / pieceSeconds);
    const tokens = this.#pieceTokens ?? measured;
    return Math.min(Math.max(Math.round(tokens), minPieceTokens), this.#batchTokens);
  }

  /** Tokens that are read at once while no generation writes: whole batches. */
  get chunkTokens(): number {
    const batches = Math.floor((chunkSeconds * (this.#tokensPerSecond ?? 0)) / this.#batchTokens);
    return Math.max(1, batches) * this.#batchTokens;
  }

  /** Undefined while the speed is not known. */
  secondsToRead(tokens: number): number | undefined {
    return this.#tokensPerSecond === undefined ? undefined : tokens / this.#tokensPerSecond;
  }

  /** Tokens of a prompt, estimated from the prompt before. */
  estimateTokens(prefix: PrefixHash): number {
    return (charactersOf(prefix) + templateCharacters) * this.#tokensPerCharacter;
  }

  /** Notes the length of a prompt. */
  learnTokens(tokens: number, prefix: PrefixHash): void {
    this.#tokensPerCharacter = tokens / (charactersOf(prefix) + templateCharacters);
  }

  /**
   * Notes the time of a whole piece, so that the next ones take the time that a stream may wait. The speed of longer readings
   * does not say how long a piece takes: the shorter it is the slower, and the engine writes for others meanwhile.
   */
  measurePiece(tokens: number, ms: number): void {
    if (ms <= 0) return;
    const before = this.pieceTokens;
    const wanted = (tokens * pieceSeconds * 1000) / ms;
    this.#pieceTokens = (before + Math.min(wanted, 2 * before)) / 2;
  }

  /** @param tokens All that the engine read and wrote in this time. */
  measure(tokens: number, ms: number): void {
    if (tokens < minMeasuredTokens || ms <= 0) return;
    const measured = (tokens * 1000) / ms;
    const before = this.#tokensPerSecond ?? measured;
    if (tokens < minExactTokens && measured < before) return;
    this.#tokensPerSecond = (measured + before) / 2;
  }
}

/**
 * Chunked prefill: reads a long prompt in pieces while other generations of the engine write. Each step of the engine reads
 * and writes for all its slots, so that a stream waits as long as the step of the longest prompt takes. A beginning that
 * other prompts share is saved as soon as it is read, and they restore it.
 */
export class Prefill {
  readonly speed: PrefillSpeed;
  readonly #options: PrefillOptions;
  readonly #active = new Set<ActivePrompt>();
  #writingCount = 0;
  #onShared = (): void => {};

  constructor(options: PrefillOptions) {
    this.#options = options;
    this.speed = options.speed;
  }

  /** Called when prompts that wait may have become short. */
  onShared(listener: () => void): void {
    this.#onShared = listener;
  }

  /** Notes a prompt that waits, is read or is answered, until `close`. */
  open(request: GenerationRequest, ownerId: string | null): ActivePrompt {
    const prompt = new ActivePrompt(request, ownerId, this.#options.slots);
    this.#active.add(prompt);
    return prompt;
  }

  close(prompt: ActivePrompt): void {
    this.#active.delete(prompt);
    this.#onShared();
  }

  /**
   * The answer begins.
   *
   * @returns Whether the engine did nothing else meanwhile.
   */
  beginWriting(): boolean {
    this.#writingCount += 1;
    return this.#active.size === 1;
  }

  endWriting(): void {
    this.#writingCount -= 1;
  }

  /** True if the prefill of a prompt would delay other requests. */
  isLong({ prefix }: ActivePrompt, matchedTokens?: number): boolean {
    const { speed, manager } = this.#options;
    const tokens = speed.estimateTokens(prefix);
    const { pieceTokens } = speed;
    if (tokens <= pieceTokens) return false;
    return tokens - (matchedTokens ?? manager.matchedTokens(prefix)) > pieceTokens;
  }

  /** Notes the speed of a prompt that was read while the engine did nothing else. */
  learn(usage: GenerationUsage, { prefix }: ActivePrompt, isAlone: boolean): void {
    const { promptTokens, cachedTokens, promptMs } = usage;
    this.speed.learnTokens(promptTokens, prefix);
    if (isAlone) this.speed.measure(promptTokens - cachedTokens, promptMs);
  }

  /**
   * Reads all but the last piece, which the generation reads: that saves a step. Undefined if nothing was read.
   *
   * @throws The signal's reason when aborted; other failures are left to the generation.
   */
  async *read(
    prompt: ActivePrompt,
    use: SlotUse,
    { signal, logger }: RequestContext,
  ): AsyncGenerator<PrefillProgress, ReadPieces | undefined> {
    const { slots, speed, contextLength } = this.#options;
    let pieces: ReadPieces | undefined;
    if (this.#isReadAtOnce(prompt.prefix, use.expectedTokens)) return undefined;
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
          this.#onShared();
          continue;
        }
        const writing = this.#writingCount;
        const step = writing > 0 ? speed.pieceTokens : speed.chunkTokens;
        if (end >= last || (shared === undefined && tokens.length - end <= step)) break;
        end = Math.min(last, end + step, shared?.tokens ?? last);
        const placement = {
          slot: use.slotId,
          reusesSlot: pieces !== undefined || use.reusesSlot,
          adapters: prompt.adapters,
        };
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

  /** True if the generation may read the whole prompt: no other request is there, and it takes a second at most. */
  #isReadAtOnce(prefix: PrefixHash, expectedTokens: number): boolean {
    const { speed } = this.#options;
    if (this.#active.size > 1 || this.#writingCount > 0) return false;
    return speed.estimateTokens(prefix) - expectedTokens <= speed.chunkTokens / 2;
  }

  /** The beginning of a prompt that is worth saving for others, if it is longer than the one that was saved before. */
  async #findShared(
    prompt: ActivePrompt,
    tokens: readonly number[],
    savedTokens: number,
    signal: AbortSignal,
  ): Promise<Shared | undefined> {
    const { manager, speed } = this.#options;
    const others = [...this.#active]
      .filter((other) => other !== prompt)
      .map((other) => ({
        prompt: other,
        prefix: other.prefix,
        matchedTokens: () => manager.matchedTokens(other.prefix),
      }));
    const shared = sharedPrefix(prompt.prefix, tokens.length, others, (count) =>
      speed.secondsToRead(count),
    );
    if (shared === undefined) return undefined;
    const otherTokens = (await shared.other.prompt.tokens(signal)) ?? [];
    const common = commonTokens(tokens, otherTokens);
    if (common < savedTokens + minMoreTokens) return undefined;
    return { prefix: beginningOf(prompt.prefix, shared.characters), tokens: common };
  }
}

/** The engine counts the tokens of the pieces as cached. */
export function withPieces<Usage extends GenerationUsage>(usage: Usage, pieces: ReadPieces): Usage {
  const { cachedTokens } = pieces;
  return { ...usage, cachedTokens, promptMs: usage.promptMs + pieces.promptMs };
}

/** A prompt that waits, is read or is answered. */
export class ActivePrompt {
  readonly request: GenerationRequest;
  /** Id of the token of its request; null for an anonymous one. */
  readonly ownerId: string | null;
  /** The stored response that it is a part of; null for a request that is not stored. */
  readonly responseId: string | null;
  readonly adapters: GenerationRequest['adapters'];
  readonly prefix: PrefixHash;
  readonly #slots: Pick<EngineSlots, 'tokenize'>;
  #tokens: Promise<readonly number[] | undefined> | undefined;

  constructor(
    request: GenerationRequest,
    ownerId: string | null,
    slots: Pick<EngineSlots, 'tokenize'>,
  ) {
    this.request = request;
    this.ownerId = ownerId;
    this.responseId = request.responseId ?? null;
    this.adapters = request.adapters;
    this.prefix = prefixHash(ownerId, request);
    this.#slots = slots;
  }

  /**
   * Its tokens; undefined if there is more than text. The engine is asked once.
   *
   * @throws The errors of `EngineSlots.tokenize`.
   */
  tokens(signal: AbortSignal): Promise<readonly number[] | undefined> {
    this.#tokens ??= this.#slots.tokenize(this.request, signal).catch((error: unknown) => {
      this.#tokens = undefined;
      throw error;
    });
    return this.#tokens;
  }
}
