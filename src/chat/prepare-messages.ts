import type { ConversationContent, ConversationMessage } from '../conversation/content.ts';
import type { ModelEntry } from '../models/model.ts';
import { assertVision, prepareImage, type PreparedImage } from './image.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';

/** Messages as a conversation stores them, and the images that they reference. */
export interface PreparedMessages {
  readonly messages: readonly ConversationMessage[];
  readonly images: readonly PreparedImage[];
}

/**
 * Checks the messages of a request against the model and re-encodes their images.
 *
 * @throws HearthError `vision_unsupported`, `invalid_image`; the signal's reason when aborted.
 */
export async function prepareMessages(
  messages: readonly TurnMessage[],
  model: ModelEntry,
  maxImagePixels: number,
  signal: AbortSignal,
): Promise<PreparedMessages> {
  const images: PreparedImage[] = [];
  const prepared: ConversationMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content: ConversationContent[] = [];
    for (const [partIndex, part] of message.content.entries()) {
      content.push(await preparePart(part, `messages[${index}].content[${partIndex}]`));
    }
    prepared.push({ ...message, content });
  }
  return { messages: prepared, images };

  async function preparePart(part: TurnContent, field: string): Promise<ConversationContent> {
    if (part.type === 'text') return part;
    assertVision(model, field);
    signal.throwIfAborted();
    const image = await prepareImage(part.dataUrl, maxImagePixels, field);
    images.push(image);
    return { type: 'image', sha256: image.sha256, mediaType: image.mediaType };
  }
}
