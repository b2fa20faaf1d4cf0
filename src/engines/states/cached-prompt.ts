import { charactersOf, commonCharacters, type PromptChain } from './prompt-chain.ts';

/** A prompt with its answer that a slot has read, or that a saved state contains. */
export interface CachedPrompt {
  /** Id of the token of its request; null for an anonymous one. */
  readonly ownerId: string | null;
  /** The stored response that it ends with; null for a request that is not stored. */
  readonly responseId: string | null;
  readonly chain: PromptChain;
  /** Tokens of the chain. */
  readonly tokens: number;
  /** Tokens in the slot or the state; more if they include reasoning, which later prompts leave out. */
  readonly heldTokens: number;
}

/** Tokens that a prompt does not need to read again, estimated from the characters. */
export function matchedTokens({ chain, tokens }: CachedPrompt, prompt: PromptChain): number {
  const common = commonCharacters(chain, prompt);
  return common === 0 ? 0 : Math.round((tokens * common) / charactersOf(chain));
}

/** Whether a prompt continues a cached one to its end, so that a state of it contains both. */
export function contains(whole: CachedPrompt, part: CachedPrompt): boolean {
  const { length } = part.chain.hashes;
  return length > 0 && whole.chain.hashes[length - 1] === part.chain.hashes[length - 1];
}
