import type { GenerationSummary } from '../../chat/turn-event.ts';
import type { V0FinishReason } from '../../contract/v0/result.ts';
import type { StopReason } from '../../conversation/conversation-turn.ts';

const finishReasons: Readonly<Record<StopReason, V0FinishReason>> = {
  eosFound: 'stop',
  stopStringFound: 'stop',
  maxPredictedTokensReached: 'length',
  contextLengthReached: 'length',
  toolCalls: 'tool_calls',
};

/** Why a choice ended, in OpenAI's words. */
export function toFinishReason({ stopReason }: Pick<GenerationSummary, 'stopReason'>) {
  return finishReasons[stopReason ?? 'eosFound'];
}
