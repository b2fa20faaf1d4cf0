import type { TurnContent, TurnMessage } from '../../../chat/turn-request.ts';
import type { V0AudioPart, V0ChatRequest, V0Message } from '../v0/chat-completion-schema.ts';
import type { ToolDefinition } from '../../../engines/engine.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';

/** Converts a message of a chat completion to a message of a turn. */
export function toMessage(message: V0Message): TurnMessage {
  const content = toContent(message.content);
  switch (message.role) {
    case 'developer':
    case 'system':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content };
    case 'assistant': {
      const toolCalls = message.tool_calls?.map(({ id, function: called }) => ({
        id,
        name: called.name,
        argumentsJson: called.arguments,
      }));
      return { role: 'assistant', content, ...omitUndefined({ toolCalls }) };
    }
  }
}

function toContent(content: V0Message['content']): readonly TurnContent[] {
  if (content == null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    if (part.type === 'refusal') return { type: 'text', text: part.refusal };
    if (part.type === 'input_audio') return toAudio(part);
    if (part.type === 'file') throw new Error('The file has not been read');
    const { image_url: image } = part;
    return { type: 'image', url: typeof image === 'string' ? image : image.url };
  });
}

/** Ignores the declared format, since the content shows it. */
export function toAudio({ input_audio: { data } }: V0AudioPart): TurnContent {
  return { type: 'audio', url: `data:audio/any;base64,${data}` };
}

/** The function tools of a chat completion. */
export function toTools(tools: V0ChatRequest['tools']): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...omitUndefined({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  }));
}

/**
 * Checks that every tool result follows its call. If a stored conversation is continued, the turn checks the results
 * against the stored calls.
 *
 * @throws HearthError `invalid_value`.
 */
export function assertToolCalls(messages: readonly TurnMessage[]): void {
  const known = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) known.add(id);
    if (message.role !== 'tool' || known.has(message.toolCallId)) continue;
    throw new HearthError(
      'invalid_value',
      `No tool call ${JSON.stringify(message.toolCallId)} comes before this result.`,
      { field: `messages[${index}].toolCallId` },
    );
  }
}
