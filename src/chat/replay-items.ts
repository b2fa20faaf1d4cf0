import type { TurnItem } from '../store/turns/turn-item.ts';
import type { TurnEvent } from './turn-event.ts';

/** An answer that a later turn continues, as the events that it had. */
export interface ReplayedItems {
  /** Without the end of the text that is continued. */
  readonly events: readonly TurnEvent[];
  /** The last text, to which the model adds. */
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
      // A turn that ends with a call for the client is not continued, and its lists of tools are items only.
      case 'clientToolCall':
      case 'approvalRequest':
      case 'toolList':
        break;
    }
  }
  return { events, openText, callCount };
}
