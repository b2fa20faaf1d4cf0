import type { ChatResult, ChatStats } from './chat-schema.ts';
import type { TurnResult } from '../../../chat/turn-event.ts';
import type { ConversationTurn } from '../../../store/turns/conversation-turn.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { answerSpeed } from '../../kit/answer-speed.ts';
import { toOutput } from './to-output-item.ts';

export function toChatResult(result: TurnResult): ChatResult {
  return {
    model_instance_id: result.instanceId,
    output: toOutput(result.items),
    stats: toChatStats(result),
    ...omitUndefined({ dropped_turns: result.droppedTurns, response_id: result.responseId }),
  };
}

export function toChatStats({
  usage,
  timings,
}: Pick<ConversationTurn, 'usage' | 'timings'>): ChatStats {
  return {
    input_tokens: usage.promptTokens,
    total_output_tokens: usage.completionTokens,
    reasoning_output_tokens: usage.reasoningTokens,
    tokens_per_second: answerSpeed({ usage, timings }),
    time_to_first_token_seconds: timings.timeToFirstTokenSeconds,
    ...omitUndefined({
      model_load_time_seconds: timings.loadTimeSeconds,
      draft_tokens: usage.drafts?.proposedTokens,
      accepted_draft_tokens: usage.drafts?.acceptedTokens,
    }),
  };
}
