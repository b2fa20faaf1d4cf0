import type { TurnItem } from '../store/turns/turn-item.ts';
import type { TurnEvent } from './turn-event.ts';

/** The events of an earlier answer that a later turn continues. */
export interface ReplayedItems {
  /** Lacks the end of the text that is continued. */
  readonly events: readonly TurnEvent[];
  /** The last text, to which the model appends. */
  readonly openText: { readonly type: 'message' | 'reasoning'; readonly text: string } | undefined;
  readonly callCount: number;
}

export function replayItems(items: readonly TurnItem[]): ReplayedItems {
  const events: TurnEvent[] = [];
  let callCount = 0;
  let openText: ReplayedItems['openText'];
  for (const [position, item] of items.entries()) {
    switch (item.type) {
      case 'message':
      case 'reasoning': {
        const { type, text } = item;
        events.push({ type: `${type}.start` }, { type: `${type}.delta`, text });
        if (position === items.length - 1) openText = { type, text };
        else events.push({ type: `${type}.end`, text });
        break;
      }
      case 'toolCall': {
        const tool = { name: item.tool, provider: item.provider };
        const index = callCount;
        callCount += 1;
        events.push(
          {
            type: 'toolCall.start',
            index,
            exposedName: item.exposedName,
            tool,
            isForClient: false,
          },
          { type: 'toolCall.arguments', index, tool, arguments: item.arguments },
          { type: 'toolCall.success', index, item },
        );
        break;
      }
      case 'invalidToolCall':
        events.push({ type: 'toolCall.failure', index: callCount, item });
        callCount += 1;
        break;
      // Turns that end with a client call are never continued, and tool lists have no events.
      case 'clientToolCall':
      case 'approvalRequest':
      case 'toolList':
        break;
    }
  }
  return { events, openText, callCount };
}
