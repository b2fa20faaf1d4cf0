import type { ChatGeneration, CompletionGeneration, ContentPart } from '../engines/engine.ts';
import { promptKeyLength } from '../engines/loads/recent-prompts.ts';

/**
 * The beginning of a prompt as text, to find the instance with most of it in its cache: roles and contents in
 * order, images by their size. Not the text that the engine reads.
 */
export function promptPrefix(
  request:
    | Pick<ChatGeneration, 'kind' | 'messages'>
    | Pick<CompletionGeneration, 'kind' | 'prompt'>,
): string {
  if (request.kind === 'completion') {
    const { prompt } = request;
    if (typeof prompt === 'string') return prompt.slice(0, promptKeyLength);
    // An id takes two characters or more with its comma.
    return prompt.slice(0, promptKeyLength).join().slice(0, promptKeyLength);
  }
  let key = '';
  for (const message of request.messages) {
    key += `${message.role}\n`;
    const parts = typeof message.content === 'string' ? [message.content] : message.content;
    for (const part of parts) {
      // Cuts before joining: a message may be megabytes long.
      key += `${textOf(part).slice(0, promptKeyLength)}\n`;
      if (key.length >= promptKeyLength) return key.slice(0, promptKeyLength);
    }
  }
  return key;
}

function textOf(part: string | ContentPart): string {
  if (typeof part === 'string') return part;
  return part.type === 'text' ? part.text : `image ${part.dataUrl.length}`;
}
