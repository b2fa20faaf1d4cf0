import type { ChatRequest, InputItem } from '../../contract/v1/chat.ts';

/** A plain text where there are no pictures, else the pictures before the text. */
export function toInput(text: string, images: readonly InputItem[]): ChatRequest['input'] {
  return images.length === 0 ? text : [...images, { type: 'text', content: text }];
}
