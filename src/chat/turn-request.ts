import type { ReasoningLevel, Sampling } from '../engine/engine.ts';
import type { Integration, ToolCaller } from '../tools/toolbox.ts';

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
  /** Where the model may call tools; none where empty. */
  readonly integrations: readonly Integration[];
  readonly toolCaller: ToolCaller;
  readonly isStored: boolean;
  /** Token that asks; stored responses belong to it. */
  readonly ownerId: string | null;
  /** Whether it waits as long as a load takes, since its client sees the progress. */
  readonly waitsForLoad: boolean;
}
