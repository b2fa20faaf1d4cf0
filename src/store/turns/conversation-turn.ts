import type { ConversationMessage } from './content.ts';
import type { TurnItem } from './turn-item.ts';

/** The answer of a client to a call that needs an approval. */
export interface CallApproval {
  /** Id of the item `approvalRequest`. */
  readonly requestId: string;
  readonly isApproved: boolean;
  /** Shown to the model where the call is refused. */
  readonly reason?: string;
}

/** Why the last generation of a turn ended. */
export type StopReason =
  | 'eosFound'
  | 'stopStringFound'
  | 'maxPredictedTokensReached'
  | 'contextLengthReached'
  | 'toolCalls';

/** Tokens of a turn, summed over its generations. */
export interface TurnUsage {
  /** Prompt tokens, including those from the engine's cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Generated tokens, including the reasoning. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Tokens that speculation proposed, and those that the model accepted; absent if there were none. */
  readonly drafts?: { readonly proposedTokens: number; readonly acceptedTokens: number };
}

export interface TurnTimings {
  /** From the request to the first token, excluding the time to load the model. */
  readonly timeToFirstTokenSeconds: number;
  /** Summed over the generations of the turn. */
  readonly generationSeconds: number;
  /** Measured over generations with two tokens or more; 0 if there is none. */
  readonly tokensPerSecond: number;
  /** Present if the model was loaded for this turn. */
  readonly loadTimeSeconds?: number;
}

/** A part of a turn by its position among the parts of its input, or among its items. */
export interface TurnPart {
  readonly of: 'input' | 'items';
  readonly position: number;
}

/** A finished turn in its stored form. */
export interface ConversationTurn {
  /** Set by this turn; applies until a later turn changes it. */
  readonly systemPrompt: string | null;
  /** Applies to this turn only. */
  readonly instructions: string | null;
  readonly messages: readonly ConversationMessage[];
  readonly items: readonly TurnItem[];
  /** Answers to calls of the turn before. */
  readonly approvals?: readonly CallApproval[];
  /** Null for a turn of Hearth 0.1.0, which did not store it. */
  readonly stopReason: StopReason | null;
  readonly usage: TurnUsage;
  readonly timings: TurnTimings;
  /** Present where the turn failed on the way; the items are what it had produced. */
  readonly isInterrupted?: true;
  /** Present where a client cancelled the turn, which is interrupted then. */
  readonly isCancelled?: true;
  /** Present where the turn ran without its client. */
  readonly isBackground?: true;
  /** Turns of the history that the model did not see; absent unless the request allows it. */
  readonly droppedTurns?: number;
  /** The name of the model in the request; absent if it is the key. */
  readonly requestedModel?: string;
  /** Parts whose content was deleted. */
  readonly removed?: readonly TurnPart[];
  /** What the client attached to the response. */
  readonly metadata?: Readonly<Record<string, string>>;
}
