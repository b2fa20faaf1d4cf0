import { charactersOf, type PrefixHash } from '../states/prefix-hash.ts';

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
    const tokens = this.#pieceTokens ?? this.#tokensIn(pieceSeconds) ?? firstPieceTokens;
    return Math.min(Math.max(Math.round(tokens), minPieceTokens), this.#batchTokens);
  }

  /** Tokens that are read at once while no generation writes: whole batches. */
  get chunkTokens(): number {
    const batches = Math.floor((this.#tokensIn(chunkSeconds) ?? 0) / this.#batchTokens);
    return Math.max(1, batches) * this.#batchTokens;
  }

  #tokensIn(seconds: number): number | undefined {
    return this.#tokensPerSecond === undefined ? undefined : seconds * this.#tokensPerSecond;
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
