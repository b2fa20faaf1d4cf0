import { omitUndefined } from '../../../omit-undefined.ts';
import type { V0Message } from '../../../contract/v0/chat-completion.ts';
import { assertVision, prepareImage, toDataUrl } from '../../../chat/image.ts';
import type { ContentPart, EngineMessage } from '../../../engine/engine.ts';
import type { ModelEntry } from '../../../models/model.ts';

/**
 * Messages of a v0 request for the engine; images are checked and encoded anew.
 *
 * @throws HearthError `vision_unsupported`, `invalid_image`.
 */
export async function toEngineMessages(
  messages: readonly V0Message[],
  model: ModelEntry,
  maxImagePixels: number,
  signal: AbortSignal,
): Promise<readonly EngineMessage[]> {
  const result: EngineMessage[] = [];
  for (const [index, message] of messages.entries()) {
    signal.throwIfAborted();
    const content = await toContent(
      message.content,
      model,
      maxImagePixels,
      `messages[${index}].content`,
    );
    result.push(toEngineMessage(message, content));
  }
  return result;
}

type Content = string | readonly ContentPart[];

function toEngineMessage(message: V0Message, content: Content): EngineMessage {
  switch (message.role) {
    case 'developer':
    case 'system':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content: textOf(content) };
    case 'assistant': {
      const toolCalls = message.tool_calls?.map(({ id, function: called }) => ({
        id,
        name: called.name,
        argumentsJson: called.arguments,
      }));
      return { role: 'assistant', content: textOf(content), ...omitUndefined({ toolCalls }) };
    }
  }
}

async function toContent(
  content: V0Message['content'],
  model: ModelEntry,
  maxImagePixels: number,
  path: string,
): Promise<Content> {
  if (content == null) return '';
  if (typeof content === 'string') return content;
  const parts: ContentPart[] = [];
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') {
      parts.push({ type: 'text', text: part.text });
    } else {
      const param = `${path}[${index}].image_url`;
      assertVision(model, param);
      const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url;
      const image = await prepareImage(url, maxImagePixels, param);
      parts.push({ type: 'image', dataUrl: toDataUrl(image) });
    }
  }
  return parts.every(({ type }) => type === 'text') ? textOf(parts) : parts;
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
