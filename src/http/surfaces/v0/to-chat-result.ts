import type { TurnResult } from '../../../chat/turn-event.ts';
import type { V0ChatResult } from '../../../contract/v0/chat-completion.ts';
import { toChatMessage } from '../../openai/chat-message.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toFinishReason } from '../../openai/finish-reason.ts';
import { toV0Logprobs } from '../../openai/logprobs.ts';
import { toReport } from './to-report.ts';

export function toV0ChatResult(result: TurnResult): V0ChatResult {
  return {
    ...completionHead('chatcmpl', 'chat.completion'),
    model: result.selection.model.key,
    choices: [
      {
        index: 0,
        logprobs: toV0Logprobs(result.logprobs),
        finish_reason: toFinishReason(result),
        message: { role: 'assistant', ...toChatMessage(result.items) },
      },
    ],
    ...toReport([result]),
  };
}
