import type { TurnItem } from '../../../store/turns/turn-item.ts';

/** The fields that the message of a choice has, besides its role. */
export function toChatMessage(items: readonly TurnItem[]) {
  const reasoning = textOf(items, 'reasoning');
  const calls = items.filter((item) => item.type === 'clientToolCall');
  const toolCalls = calls.map(({ id, name, argumentsJson }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: argumentsJson },
  }));
  return {
    content: textOf(items, 'message'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

function textOf(items: readonly TurnItem[], type: 'message' | 'reasoning'): string {
  return items.flatMap((item) => (item.type === type ? [item.text] : [])).join('');
}
