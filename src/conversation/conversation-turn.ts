import type { ConversationMessage } from './content.ts';
import type { TurnItem } from './turn-item.ts';

/** Why the last generation of a turn ended. */
export type StopReason =
  | 'eosFound'
  | 'stopStringFound'
  | 'maxPredictedTokensReached'
  | 'contextLengthReached'
  | 'toolCalls';

/** Tokens of a turn, summed over its generations. */
export interface TurnUsage {
  /** All tokens of the prompts, those from the engine's cache included. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** All generated tokens, those of the reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

export interface TurnTimings {
  /** From the request to the first token, without the time of a load. */
  readonly timeToFirstTokenSeconds: number;
  /** Summed over the generations of the turn. */
  readonly generationSeconds: number;
  /** Over the generations of two tokens or more; 0 where there is none. */
  readonly tokensPerSecond: number;
  /** Present where the model was loaded for this turn. */
  readonly loadTimeSeconds?: number;
}

/** A turn as the store keeps it. */
export interface ConversationTurn {
  /** As set in this turn; it holds until a later turn sets another one. */
  readonly systemPrompt: string | null;
  /** Holds for this turn alone. */
  readonly instructions: string | null;
  readonly messages: readonly ConversationMessage[];
  readonly items: readonly TurnItem[];
  /** Null for a turn of Hearth 0.1.0, which did not keep it. */
  readonly stopReason: StopReason | null;
  readonly usage: TurnUsage;
  readonly timings: TurnTimings;
  /** Present where the turn failed on the way; the items are what it had produced. */
  readonly isInterrupted?: true;
}
