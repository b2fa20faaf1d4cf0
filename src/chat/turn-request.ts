import type { ReasoningLevel, Sampling } from '../engine/engine.ts';

export type TurnInputItem =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'image'; readonly dataUrl: string };

/** One turn of a conversation that the server keeps. */
export interface TurnRequest {
  readonly model: string;
  readonly input: readonly TurnInputItem[];
  readonly systemPrompt?: string;
  readonly previousResponseId?: string;
  readonly sampling: Sampling;
  readonly maxOutputTokens?: number;
  readonly reasoning?: ReasoningLevel;
  readonly contextLength?: number;
  readonly isStored: boolean;
  /** Token that asks; stored responses belong to it. */
  readonly ownerId: string | null;
}
