import type { TurnResult } from '../../../chat/turn-event.ts';
import type { OpenAiChatCompletion } from './chat-completion-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toChatMessage } from './chat-message.ts';
import { toFinishReason } from './finish-reason.ts';
import { toLogprobs } from './to-logprobs.ts';
import { toUsage } from './usage.ts';

type Choice = OpenAiChatCompletion['choices'][number];

/** A whole chat completion of one choice or several, which share their prompt. */
export function toChatCompletion(
  results: readonly TurnResult[],
  head: Pick<OpenAiChatCompletion, 'id' | 'object' | 'created' | 'model'>,
): OpenAiChatCompletion {
  return {
    ...head,
    choices: results.map(toChoice),
    usage: toUsage(results.map(({ usage }) => usage)),
    ...omitUndefined({ system_fingerprint: results[0]?.capabilities?.runtimeVersion }),
  };
}

function toChoice(result: TurnResult, index: number): Choice {
  const { content, ...more } = toChatMessage(result.items);
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && more.tool_calls !== undefined ? null : content,
      refusal: null,
      ...more,
    },
    logprobs: toLogprobs(result.logprobs),
    finish_reason: toFinishReason(result),
  };
}
