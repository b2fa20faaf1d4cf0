import type { RequestContext } from '../../telemetry/request-context.ts';
import type {
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import type { PrefillSpeed } from './prefill-speed.ts';
import { beginningOf, prefixHash, type PrefixHash } from '../states/prefix-hash.ts';
import { commonTokens, sharedPrefix } from '../states/shared-prefix.ts';
import type { SlotManager, SlotUse } from '../states/slot-manager.ts';

/** A longer beginning is saved in addition only if it is longer by this. */
const minMoreTokens = 64;

interface PrefillOptions {
  readonly slots: Pick<EngineSlots, 'tokenize' | 'read'>;
  readonly manager: Pick<SlotManager, 'matchedTokens'>;
  readonly speed: PrefillSpeed;
  /** Maximum tokens of a prompt; the engine rejects longer ones. */
  readonly contextLength: number;
}

/** Tokens that were read before the generation. */
interface ReadPieces {
  /** Tokens of them that the slot already had. */
  readonly cachedTokens: number;
  readonly promptMs: number;
}

/** The beginning of a prompt that others share. */
interface Shared {
  readonly prefix: PrefixHash;
  readonly tokens: number;
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
  ): AsyncGenerator<GenerationEvent, ReadPieces | undefined> {
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
export function withPieces<Usage extends GenerationUsage>(
  usage: Usage,
  pieces: ReadPieces | undefined,
): Usage {
  if (pieces === undefined) return usage;
  const { cachedTokens } = pieces;
  return { ...usage, cachedTokens, promptMs: usage.promptMs + pieces.promptMs };
}

/** A prompt that waits, is read or is answered. */
export class ActivePrompt {
  readonly request: GenerationRequest;
  /** Id of the token of its request; null for an anonymous one. */
  readonly ownerId: string | null;
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
    this.prefix = prefixHash(ownerId, request);
    this.#slots = slots;
  }

  /** The stored response that it is a part of; null for a request that is not stored. */
  get responseId(): string | null {
    return this.request.responseId ?? null;
  }

  get adapters(): GenerationRequest['adapters'] {
    return this.request.adapters;
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
