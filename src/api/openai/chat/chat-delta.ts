import type { TurnEvent } from '../../../chat/turn-event.ts';

/** What an event adds to the message of a choice; undefined if nothing. */
export function toChatDelta(event: TurnEvent) {
  switch (event.type) {
    case 'message.delta':
      return { content: event.text };
    case 'reasoning.delta':
      return { reasoning_content: event.text };
    case 'toolCall.delta': {
      if (!event.isForClient) return undefined;
      const { index, id, name, argumentsJson } = event;
      const opening = id === undefined ? {} : { id, type: 'function' as const };
      const named = name === undefined ? {} : { name };
      return {
        tool_calls: [{ index, ...opening, function: { ...named, arguments: argumentsJson } }],
      };
    }
    default:
      return undefined;
  }
}
