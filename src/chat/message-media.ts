import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';
import type { NewBlob } from '../store/store.ts';
import { admitAudio, assertHearing, prepareAudio, type MediaTools } from './audio/prepare-audio.ts';
import { admitImage, assertVision, prepareImage } from './image.ts';
import type { ImageAllowance } from './image-allowance.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';
import type { ConversationContent, ConversationMessage } from '../store/turns/content.ts';

/** Reads the image at an http or https URL. */
export type FetchImage = (
  url: string,
  options: {
    /** Domain path of the image, for errors. */
    readonly field: string;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  },
) => Promise<Buffer>;

/** Limits for the images of one request. */
const urlLimits = { count: 20, bytes: 32 * 1024 * 1024 };
const remote = /^https?:/i;

/**
 * Replaces image URLs with the images as data URLs. Reads each URL only once.
 *
 * @param model The model that reads the images; undefined if they are only stored.
 * @throws HearthError `vision_unsupported`, `invalid_image`; the errors of `fetchImage`.
 */
export async function fetchImages(
  messages: readonly TurnMessage[],
  model: ModelEntry | undefined,
  fetchImage: FetchImage,
  signal: AbortSignal,
): Promise<readonly TurnMessage[]> {
  const fetched = new Map<string, string>();
  let bytes = 0;

  async function fetchOnce(url: string, field: string): Promise<string> {
    const known = fetched.get(url);
    if (known !== undefined) return known;
    if (fetched.size === urlLimits.count) {
      const message = `A request may name at most ${urlLimits.count} images by URL.`;
      throw new HearthError('invalid_image', message, { field });
    }
    const image = await fetchImage(url, { field, maxBytes: urlLimits.bytes - bytes, signal });
    bytes += image.byteLength;
    // The decoder detects the format; the server's media type is ignored.
    const dataUrl = `data:image/remote;base64,${image.toString('base64')}`;
    fetched.set(url, dataUrl);
    return dataUrl;
  }

  const result: TurnMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content: TurnContent[] = [];
    for (const [partIndex, part] of message.content.entries()) {
      if (part.type === 'image' && remote.test(part.url)) {
        const field = `messages[${index}].content[${partIndex}]`;
        if (model !== undefined) assertVision(model, field);
        content.push({ type: 'image', url: await fetchOnce(part.url, field) });
      } else content.push(part);
    }
    result.push({ ...message, content });
  }
  return result;
}

type Media = Exclude<TurnContent, { type: 'text' }>;

/**
 * Checks the size of an image or audio without decoding it.
 *
 * @throws HearthError `invalid_image`, `invalid_audio`.
 */
export async function admitMedia(
  { type, url }: Media,
  { allowance }: Pick<MediaTools, 'allowance'>,
  field: string,
): Promise<void> {
  if (type === 'audio') admitAudio(url, allowance, field);
  else await admitImage(url, allowance, field);
}

/**
 * Decodes and re-encodes an admitted image or audio.
 *
 * @throws HearthError `invalid_image`, `invalid_audio`, `queue_full`; the signal's reason when aborted.
 */
export function prepareMedia(
  { type, url }: Media,
  tools: MediaTools,
  field: string,
  signal: AbortSignal,
): Promise<NewBlob> {
  return type === 'audio'
    ? prepareAudio(url, tools, field, signal)
    : prepareImage(url, tools.allowance, field, signal);
}

/** Domain path of a part of a message, for errors. */
function fieldOf({ type }: Media, index: number, partIndex: number): string {
  return `messages[${index}].content[${partIndex}]${type === 'audio' ? '.audio' : ''}`;
}

/** Messages in stored form, with the images and audio that they refer to. */
export interface PreparedMessages {
  readonly messages: readonly ConversationMessage[];
  readonly media: readonly NewBlob[];
}

/**
 * Checks a request's messages against the model, and the sizes of their images and audio without decoding them.
 *
 * @param model The model that reads the messages; undefined if they are only stored.
 * @throws HearthError `vision_unsupported`, `invalid_image`, `audio_unsupported`, `invalid_audio`; the signal's reason
 *   when aborted.
 */
export async function admitMessages(
  messages: readonly TurnMessage[],
  model: ModelEntry | undefined,
  allowance: ImageAllowance,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, message] of messages.entries()) {
    for (const [partIndex, part] of message.content.entries()) {
      if (part.type === 'text') continue;
      const field = fieldOf(part, index, partIndex);
      signal.throwIfAborted();
      if (model !== undefined) {
        if (part.type === 'audio') assertHearing(model, field);
        else assertVision(model, field);
      }
      await admitMedia(part, { allowance }, field);
    }
  }
}

/** Messages with placeholders for images and audio, enough to measure the prompt and to find it in caches. */
export function outlineMessages(messages: readonly TurnMessage[]): readonly ConversationMessage[] {
  return messages.map((message) => ({ ...message, content: message.content.map(outlinePart) }));
}

function outlinePart(part: TurnContent): ConversationContent {
  return part.type === 'text' ? part : { type: part.type, sha256: '', mediaType: '' };
}

/**
 * Decodes and re-encodes the images and the audio of admitted messages.
 *
 * @throws HearthError `invalid_image`, `invalid_audio`, `queue_full`; the signal's reason when aborted.
 */
export async function prepareMessages(
  messages: readonly TurnMessage[],
  tools: MediaTools,
  signal: AbortSignal,
): Promise<PreparedMessages> {
  const media: NewBlob[] = [];
  const prepared: ConversationMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content: ConversationContent[] = [];
    for (const [partIndex, part] of message.content.entries()) {
      if (part.type === 'text') content.push(part);
      else {
        const blob = await prepareMedia(part, tools, fieldOf(part, index, partIndex), signal);
        media.push(blob);
        content.push({ type: part.type, sha256: blob.sha256, mediaType: blob.mediaType });
      }
    }
    prepared.push({ ...message, content });
  }
  return { messages: prepared, media };
}
