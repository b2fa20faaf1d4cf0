import type { TurnResult } from '../../../chat/turn-event.ts';
import type { V0ChatResult } from './chat-completion-schema.ts';
import { toChatMessage } from '../chat/chat-message.ts';
import { completionHead } from '../chat/completion-head.ts';
import { toFinishReason } from '../chat/finish-reason.ts';
import { toV0Logprobs } from '../chat/logprobs.ts';
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
