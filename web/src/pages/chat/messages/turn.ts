import type { ConversationResponse, InputPart } from '../conversations/conversation-queries.ts';
import type { Run, RunItem } from '../runs/run.ts';

/** The number of cached tokens and the stop reason are only known for stored answers. */
export type TurnStats = ConversationResponse['stats'];

/** A message and its answer, either stored or being written. */
export interface Turn {
  /** Stays the same when the answer is stored. */
  readonly key: string;
  readonly responseId: string | undefined;
  readonly previousId: string | null;
  readonly model: string;
  readonly input: readonly InputPart[];
  readonly items: readonly RunItem[];
  readonly stats: TurnStats | undefined;
  readonly instanceId: string | undefined;
  readonly isInterrupted: boolean;
  /** The answer that is being written, or that has failed. */
  readonly run: Run | undefined;
}

export function storedTurn(response: ConversationResponse): Turn {
  return {
    key: response.response_id,
    responseId: response.response_id,
    previousId: response.previous_response_id,
    model: response.model,
    input: response.input,
    items: response.output,
    stats: response.stats,
    instanceId: response.model_instance_id,
    isInterrupted: response.interrupted === true,
    run: undefined,
  };
}

export function runningTurn(run: Run): Turn {
  return {
    key: run.responseId ?? run.key,
    responseId: run.responseId,
    previousId: run.previousId,
    model: run.model,
    input: run.input,
    items: run.items,
    stats: run.result?.stats,
    instanceId: run.result?.model_instance_id,
    isInterrupted: false,
    run,
  };
}

/** The text of the answer, without reasoning and tools. */
export function answerText({ items }: Pick<Turn, 'items'>): string {
  return items.flatMap((item) => (item.type === 'message' ? item.content : [])).join('\n\n');
}

/** A model that can answer. */
export interface ModelChoice {
  readonly key: string;
  readonly name: string;
}

export interface TurnActions {
  readonly onEdit: (turn: Turn, input: readonly InputPart[]) => void;
  /** @param model Key of another model to answer with. */
  readonly onRetry: (turn: Turn, model?: string) => void;
  readonly onContinue: (turn: Turn) => void;
  readonly onEditAnswer: (turn: Turn, text: string) => void;
  readonly onDelete: (turn: Turn) => void;
  /** Shows the branch at this position among the branches that begin at this turn. */
  readonly onChooseBranch: (turn: Turn, position: number) => void;
}

export interface TurnViewProps extends TurnActions {
  readonly turn: Turn;
  /** Index of the turn's branch among its siblings, from 0. */
  readonly position: number;
  /** Number of branches that begin here, including this one. */
  readonly total: number;
  readonly contextLength: number | undefined;
  /** Name of the model that wrote the answer; empty if unknown. */
  readonly modelName: string;
  /** Models that can write another answer. */
  readonly models: readonly ModelChoice[];
  readonly isBusy: boolean;
}
