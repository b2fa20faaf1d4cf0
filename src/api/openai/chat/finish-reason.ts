import type { GenerationSummary } from '../../../chat/turn-event.ts';
import type { V0FinishReason } from '../v0/result-schema.ts';
import type { StopReason } from '../../../store/turns/conversation-turn.ts';

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
