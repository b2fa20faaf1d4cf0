import type { GenerationSummary } from '../../chat/turn-event.ts';
import type { AnthropicMessage, AnthropicStopReason } from './message-schema.ts';
import type { StopReason } from '../../store/turns/conversation-turn.ts';

const stopReasons: Readonly<Record<StopReason, AnthropicStopReason>> = {
  eosFound: 'end_turn',
  stopStringFound: 'stop_sequence',
  maxPredictedTokensReached: 'max_tokens',
  contextLengthReached: 'model_context_window_exceeded',
  toolCalls: 'tool_use',
};

/** Why a message ended, in Anthropic's words. */
export function toStop({
  stopReason,
  stopString,
}: Pick<GenerationSummary, 'stopReason' | 'stopString'>): Pick<
  AnthropicMessage,
  'container' | 'stop_reason' | 'stop_sequence' | 'stop_details'
> {
  const reason = stopReasons[stopReason ?? 'eosFound'];
  return {
    container: null,
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (stopString ?? null) : null,
    stop_details: null,
  };
}
