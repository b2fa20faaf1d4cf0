import type { RequestContext } from '../../kernel/request/request-context.ts';
import type {
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import { beginningOf, charactersOf, prefixHash, type PrefixHash } from '../states/prefix-hash.ts';
import { commonTokens, sharedPrefix } from '../states/shared-prefix.ts';
import type { SlotUse } from '../states/slot-use.ts';

/** Maximum time for which a running stream should wait while a piece of a prompt is read. */
const pieceSeconds = 0.3;
const minPieceTokens = 16;
/** Tokens of a piece until the reading speed is known. */
const firstPieceTokens = 64;
/**
 * Time after which the reading of a prompt is interrupted if no stream is running. Meanwhile a stream may have begun,
 * or other requests may wait.
 */
const chunkSeconds = 2;
const firstTokensPerCharacter = 0.25;
/** Approximate number of characters that a chat template adds to a prompt: tags, and often a default system prompt. */
const templateCharacters = 128;
/** Measurements with fewer tokens are ignored. */
const minMeasuredTokens = 8;
/** Measurements with fewer tokens show only a lower bound of the speed, since each token then takes longer. */
const minExactTokens = 32;
/** A longer beginning is saved in addition only if it has at least this many more tokens. */
const minMoreTokens = 64;

interface PrefillOptions {
  readonly slots: Pick<EngineSlots, 'tokenize' | 'read'>;
  readonly manager: {
    /** Estimated number of a prompt's tokens that a free slot or a state has. */
    matchedTokens(prefix: PrefixHash): number;
  };
  readonly speed: PrefillSpeed;
  /** Maximum tokens of a prompt; the engine rejects longer ones. */
  readonly contextLength: number;
}

export type PrefillProgress = Extract<GenerationEvent, { readonly type: 'prompt.progress' }>;

/** Figures of the pieces that were read before the generation. */
export interface ReadPieces {
  /** Prompt tokens that the slot already had. */
  readonly cachedTokens: number;
  readonly promptMs: number;
}

/** The beginning of a prompt that other prompts share. */
interface Shared {
  readonly prefix: PrefixHash;
  readonly tokens: number;
}

/** An engine's reading speed, which is measured with each prompt. */
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

  /** Tokens that are read at once while no generation writes; a multiple of the batch size. */
  get chunkTokens(): number {
    const batches = Math.floor((chunkSeconds * (this.#tokensPerSecond ?? 0)) / this.#batchTokens);
    return Math.max(1, batches) * this.#batchTokens;
  }

  /** Time to read tokens; undefined while the speed is unknown. */
  secondsToRead(tokens: number): number | undefined {
    return this.#tokensPerSecond === undefined ? undefined : tokens / this.#tokensPerSecond;
  }

  /** Estimates the tokens of a prompt, with the ratio of tokens to characters of the previous prompt. */
  estimateTokens(prefix: PrefixHash): number {
    return (charactersOf(prefix) + templateCharacters) * this.#tokensPerCharacter;
  }

  /** Learns the ratio of tokens to characters from a prompt. */
  learnTokens(tokens: number, prefix: PrefixHash): void {
    this.#tokensPerCharacter = tokens / (charactersOf(prefix) + templateCharacters);
  }

  /**
   * Learns from the time of a whole piece, so that later pieces take the time for which a stream may wait. The
   * general speed does not predict this: short pieces take longer per token, and the engine also writes for other
   * requests meanwhile.
   */
  measurePiece(tokens: number, ms: number): void {
    if (ms <= 0) return;
    const before = this.pieceTokens;
    const wanted = (tokens * pieceSeconds * 1000) / ms;
    this.#pieceTokens = (before + Math.min(wanted, 2 * before)) / 2;
  }

  /** @param tokens All tokens that the engine read and wrote in this time. */
  measure(tokens: number, ms: number): void {
    if (tokens < minMeasuredTokens || ms <= 0) return;
    const measured = (tokens * 1000) / ms;
    const before = this.#tokensPerSecond ?? measured;
    if (tokens < minExactTokens && measured < before) return;
    this.#tokensPerSecond = (measured + before) / 2;
  }
}

/**
 * Chunked prefill: reads a long prompt in pieces while the engine's other generations write. Each step of the engine
 * reads and writes for all slots, so without pieces, a stream would wait until a long prompt is read. A beginning
 * that other prompts share is saved as soon as it is read, so that they can restore it.
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

  /** Sets a listener that is called when waiting prompts may have become short. */
  onShared(listener: () => void): void {
    this.#onShared = listener;
  }

  /** Registers a prompt, from its wait to the end of its answer. Call `close` then, before the place is released. */
  open(request: GenerationRequest, ownerId: string | null): ActivePrompt {
    const prompt = new ActivePrompt(request, ownerId, this.#options.slots);
    this.#active.add(prompt);
    return prompt;
  }

  close(prompt: ActivePrompt): void {
    this.#active.delete(prompt);
  }

  /**
   * Call it when an answer begins.
   *
   * @returns True if no other prompt is active.
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

  /** Learns from a prompt's figures. They show the speed only if the engine did nothing else (`isAlone`). */
  learn(usage: GenerationUsage, { prefix }: ActivePrompt, isAlone: boolean): void {
    const { promptTokens, cachedTokens, promptMs } = usage;
    this.speed.learnTokens(promptTokens, prefix);
    if (isAlone) this.speed.measure(promptTokens - cachedTokens, promptMs);
  }

  /**
   * Reads a prompt except for the last piece, which the generation reads, to save a step. Returns undefined if
   * nothing was read.
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
        // Each writing generation wrote a token in the same step.
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

  /**
   * True if the generation may read the whole prompt: no other request is active, and it takes about a second at
   * most.
   */
  #isReadAtOnce(prefix: PrefixHash, expectedTokens: number): boolean {
    const { speed } = this.#options;
    if (this.#active.size > 1 || this.#writingCount > 0) return false;
    return speed.estimateTokens(prefix) - expectedTokens <= speed.chunkTokens / 2;
  }

  /** Finds a beginning of the prompt that is worth saving for others, if it is longer than the one saved before. */
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

/** Adds the pieces to the usage, since the engine counts their tokens as cached. */
export function withPieces<Usage extends GenerationUsage>(usage: Usage, pieces: ReadPieces): Usage {
  const { cachedTokens } = pieces;
  return { ...usage, cachedTokens, promptMs: usage.promptMs + pieces.promptMs };
}

/** A prompt that waits, is read or is answered. */
export class ActivePrompt {
  readonly request: GenerationRequest;
  /** Id of the request's API token; null for an anonymous request. */
  readonly ownerId: string | null;
  /** The stored response to which the prompt belongs; null for a request that is not stored. */
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
   * Tokenizes the prompt; undefined if it contains more than text. The engine is asked once, and again after a failure
   * or if the request that asked it has left.
   *
   * @throws The errors of `EngineSlots.tokenize`.
   */
  async tokens(signal: AbortSignal): Promise<readonly number[] | undefined> {
    // Another request may have asked, with its own signal.
    if (this.#tokens !== undefined) await this.#tokens.catch(() => {});
    this.#tokens ??= this.#slots.tokenize(this.request, signal).catch((error: unknown) => {
      this.#tokens = undefined;
      throw error;
    });
    return this.#tokens;
  }
}
