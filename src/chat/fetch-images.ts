import { HearthError } from '../contract/errors.ts';
import type { ModelEntry } from '../models/model.ts';
import { assertVision } from './image.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';

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

/** Of the images of one request. */
const limits = { count: 20, bytes: 32 * 1024 * 1024 };
const remote = /^https?:/i;

/**
 * Replaces images that are named by URL by their content, as data URLs. An address that occurs again is read once.
 *
 * @param model That reads the images; undefined: they are only stored.
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
    if (fetched.size === limits.count) {
      const message = `A request may name at most ${limits.count} images by URL.`;
      throw new HearthError('invalid_image', message, { field });
    }
    const image = await fetchImage(url, { field, maxBytes: limits.bytes - bytes, signal });
    bytes += image.byteLength;
    // The decoder finds out the format, whatever the server says that it is.
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
