import type { ConversationResponse, InputPart } from '../conversations/conversation-queries.ts';
import type { Run, RunItem } from '../runs/run.ts';

/** The number of cached tokens and the stop reason are known of stored answers. */
export type TurnStats = ConversationResponse['stats'];

/** A message and its answer, stored or being written. */
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
  /** The answer that is being written, or that failed. */
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
