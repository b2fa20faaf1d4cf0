import type { TurnContent, TurnMessage } from '../../chat/turn-request.ts';
import { invalidValue } from '../../kernel/errors/errors.ts';
import type { OllamaMessage } from './chat-schema.ts';
import type { ClientToolCall } from '../../store/turns/content.ts';

/**
 * Converts the messages of a conversation. A call without an id gets one from its position. A result without the id of
 * its call belongs to the first unanswered call of the same tool.
 *
 * @throws HearthError `invalid_value` for the result of a tool without a call.
 */
export function toMessages(messages: readonly OllamaMessage[]): readonly TurnMessage[] {
  const unanswered: ClientToolCall[] = [];
  let callCount = 0;
  return messages.map((message, index): TurnMessage => {
    const content = toContent(message.content, message.images);
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content };
      case 'assistant': {
        const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }) => {
          callCount += 1;
          return {
            id: id ?? `call_${callCount}`,
            name: called.name,
            argumentsJson: JSON.stringify(called.arguments ?? {}),
          };
        });
        unanswered.push(...toolCalls);
        return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
      }
      case 'tool': {
        const call = takeCall(unanswered, message);
        if (call !== undefined) return { role: 'tool', toolCallId: call.id, content };
        throw invalidValue(
          `messages[${index}]`,
          `messages[${index}] is the result of a tool, but no call without a result comes before it.`,
        );
      }
    }
  });
}

/** Removes and returns the call that a message answers. */
function takeCall(
  unanswered: ClientToolCall[],
  { tool_call_id: id, tool_name: name }: OllamaMessage,
): ClientToolCall | undefined {
  const isAnswered = (call: ClientToolCall): boolean => {
    if (id != null && id !== '') return call.id === id;
    return name == null || name === '' || call.name === name;
  };
  const index = unanswered.findIndex(isAnswered);
  return index === -1 ? undefined : unanswered.splice(index, 1)[0];
}

export function toContent(
  text: string | null | undefined,
  images: readonly string[] | null | undefined,
): readonly TurnContent[] {
  return [
    ...(text == null || text === '' ? [] : [{ type: 'text' as const, text }]),
    ...(images ?? []).map((image) => ({ type: 'image' as const, url: toDataUrl(image) })),
  ];
}

/** First characters of images in base64. */
const mediaTypes: readonly (readonly [prefix: string, mediaType: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
];

/** Unknown content is declared as PNG; decoding it fails with an error for the client. */
function toDataUrl(image: string): string {
  if (image.startsWith('data:')) return image;
  const [, mediaType] = mediaTypes.find(([prefix]) => image.startsWith(prefix)) ?? [];
  return `data:${mediaType ?? 'image/png'};base64,${image}`;
}
