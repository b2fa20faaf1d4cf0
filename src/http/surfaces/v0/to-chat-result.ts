import type { TurnResult } from '../../../chat/turn-event.ts';
import type { V0ChatResult } from '../../../contract/v0/chat-completion.ts';
import type { TurnItem } from '../../../conversation/turn-item.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toV0Logprobs } from '../../openai/logprobs.ts';
import { toFinishReason, toReport } from './to-report.ts';

export function toV0ChatResult(result: TurnResult): V0ChatResult {
  const { items } = result;
  const reasoning = textOf(items, 'reasoning');
  const toolCalls = items.filter((item) => item.type === 'clientToolCall');
  return {
    ...completionHead('chatcmpl', 'chat.completion'),
    model: result.selection.model.key,
    choices: [
      {
        index: 0,
        logprobs: toV0Logprobs(result.logprobs),
        finish_reason: toFinishReason(result),
        message: {
          role: 'assistant',
          content: textOf(items, 'message'),
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.length === 0
            ? {}
            : {
                tool_calls: toolCalls.map(({ id, name, argumentsJson }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: argumentsJson },
                })),
              }),
        },
      },
    ],
    ...toReport(result),
  };
}

function textOf(items: readonly TurnItem[], type: 'message' | 'reasoning'): string {
  return items.flatMap((item) => (item.type === type ? [item.text] : [])).join('');
}
