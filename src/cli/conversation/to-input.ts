import type { ChatRequest, InputItem } from '../../api/v1/chat/chat-schema.ts';

/** Plain text if there are no images; otherwise the images followed by the text. */
export function toInput(text: string, images: readonly InputItem[]): ChatRequest['input'] {
  return images.length === 0
    ? text
    : [...images, ...(text === '' ? [] : [{ type: 'text' as const, content: text }])];
}
