import type { EngineSlots, GenerationRequest } from '../engine.ts';
import { promptChain, type PromptChain } from './prompt-chain.ts';

/** A prompt that waits, is read or is answered. */
export class ActivePrompt {
  readonly request: GenerationRequest;
  /** Id of the token of its request; null for an anonymous one. */
  readonly ownerId: string | null;
  readonly chain: PromptChain;
  readonly #slots: Pick<EngineSlots, 'tokenize'>;
  #tokens: Promise<readonly number[] | undefined> | undefined;

  constructor(
    request: GenerationRequest,
    ownerId: string | null,
    slots: Pick<EngineSlots, 'tokenize'>,
  ) {
    this.request = request;
    this.ownerId = ownerId;
    this.chain = promptChain(ownerId, request);
    this.#slots = slots;
  }

  /** The stored response that it is a part of; null for a request that is not stored. */
  get responseId(): string | null {
    return this.request.responseId ?? null;
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
