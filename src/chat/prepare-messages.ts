import type { ConversationContent, ConversationMessage } from '../conversation/content.ts';
import type { ModelEntry } from '../models/model.ts';
import type { ImageAllowance } from './image-allowance.ts';
import { admitImage, assertVision, prepareImage, type PreparedImage } from './image.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';

/** Messages as a conversation stores them, and the images that they reference. */
export interface PreparedMessages {
  readonly messages: readonly ConversationMessage[];
  readonly images: readonly PreparedImage[];
}

/**
 * Checks the messages of a request against the model, and their images by size without decoding them.
 *
 * @throws HearthError `vision_unsupported`, `invalid_image`; the signal's reason when aborted.
 */
export async function admitMessages(
  messages: readonly TurnMessage[],
  model: ModelEntry,
  allowance: ImageAllowance,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, message] of messages.entries()) {
    for (const [partIndex, part] of message.content.entries()) {
      if (part.type === 'text') continue;
      const field = `messages[${index}].content[${partIndex}]`;
      assertVision(model, field);
      signal.throwIfAborted();
      await admitImage(part.url, allowance, field);
    }
  }
}

/** Messages whose images are not decoded yet, to measure and find the prompt. */
export function outlineMessages(messages: readonly TurnMessage[]): readonly ConversationMessage[] {
  return messages.map((message) => ({ ...message, content: message.content.map(outlinePart) }));
}

function outlinePart(part: TurnContent): ConversationContent {
  return part.type === 'text' ? part : { type: 'image', sha256: '', mediaType: '' };
}

/**
 * Decodes and re-encodes the images of admitted messages.
 *
 * @throws HearthError `invalid_image`, `queue_full`; the signal's reason when aborted.
 */
export async function prepareMessages(
  messages: readonly TurnMessage[],
  allowance: ImageAllowance,
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
    const image = await prepareImage(part.url, allowance, field, signal);
    images.push(image);
    return { type: 'image', sha256: image.sha256, mediaType: image.mediaType };
  }
}
