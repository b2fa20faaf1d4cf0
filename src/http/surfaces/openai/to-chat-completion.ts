import type { TurnResult } from '../../../chat/turn-event.ts';
import type { OpenAiChatCompletion } from '../../../contract/openai/chat-completion.ts';
import type { TurnItem } from '../../../conversation/turn-item.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { toFinishReason } from './finish-reason.ts';
import { toLogprobs } from './logprobs.ts';
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
  const { items } = result;
  const text = textOf(items, 'message');
  const reasoning = textOf(items, 'reasoning');
  const calls = items.filter((item) => item.type === 'clientToolCall');
  const toolCalls = calls.map(({ id, name, argumentsJson }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: argumentsJson },
  }));
  return {
    index,
    message: {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
    logprobs: toLogprobs(result.logprobs),
    finish_reason: toFinishReason(result),
  };
}

function textOf(items: readonly TurnItem[], type: 'message' | 'reasoning'): string {
  return items.flatMap((item) => (item.type === type ? [item.text] : [])).join('');
}
