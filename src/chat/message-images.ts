import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';
import { admitImage, assertVision, type PreparedImage, prepareImage } from './image.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';
import type { ConversationContent, ConversationMessage } from '../store/turns/content.ts';
import type { ImageHeader } from './image-header.ts';

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
const urlLimits = { count: 20, bytes: 32 * 1024 * 1024 };
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
    if (fetched.size === urlLimits.count) {
      const message = `A request may name at most ${urlLimits.count} images by URL.`;
      throw new HearthError('invalid_image', message, { field });
    }
    const image = await fetchImage(url, { field, maxBytes: urlLimits.bytes - bytes, signal });
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

const mebibyte = 1024 * 1024;
/** Of images together: pixels as a multiple of what one image may have, and bytes as they came and as they are held. */
interface AllowanceLimits {
  readonly pixelFactor: number;
  readonly encodedBytes: number;
  readonly preparedBytes: number;
}

const requestLimits: AllowanceLimits = {
  pixelFactor: 4,
  encodedBytes: 32 * mebibyte,
  preparedBytes: 24 * mebibyte,
};
/** A conversation has the images of many requests. */
export const importLimits: AllowanceLimits = {
  pixelFactor: 64,
  encodedBytes: 64 * mebibyte,
  preparedBytes: 96 * mebibyte,
};
/** Prepared images that all turns of the server hold together, in bytes. */
const maxHeldBytes = 256 * mebibyte;
/** A tower that says nothing of itself is taken for one with patches of this side. */
const commonPatchSize = 16;
/** Of a tower with a dynamic size, the largest that the engine has; each joins two patches by two. */
const maxImageTokens = 4096;
/** Of a tower with a fixed size that gets an image in tiles. */
const maxTiles = 16;

let heldBytes = 0;

/** What the images of one turn may take: of the decoder's time, of the body, and of memory until the turn ends. */
export class ImageAllowance {
  /** Of one image, in pixels. */
  readonly maxPixels: number;
  /** More pixels than the model can use; an image with more is scaled down. */
  readonly usefulPixels: number;
  readonly #limits: AllowanceLimits;
  readonly #admitted = { pixels: 0, bytes: 0 };
  #preparedBytes = 0;

  constructor(
    model: Pick<ModelEntry, 'projector'>,
    maxPixels: number,
    limits: AllowanceLimits = requestLimits,
  ) {
    this.#limits = limits;
    this.maxPixels = maxPixels;
    this.usefulPixels = Math.min(maxPixels, usefulPixels(model));
  }

  /**
   * Counts the bytes of an image as it came, before it is read.
   *
   * @throws HearthError `invalid_image`.
   */
  admitBytes(bytes: number, field: string): void {
    this.#admitted.bytes += bytes;
    if (this.#admitted.bytes <= this.#limits.encodedBytes) return;
    throw new HearthError(
      'invalid_image',
      `The images of the request take ${inMebibytes(this.#admitted.bytes)} MiB together; at most ${inMebibytes(this.#limits.encodedBytes)} are allowed. Send fewer, or smaller ones.`,
      { field },
    );
  }

  /**
   * Counts the pixels of an image, before it is decoded.
   *
   * @throws HearthError `invalid_image`.
   */
  admitPixels({ width, height }: ImageHeader, field: string): void {
    this.#admitted.pixels += width * height;
    const most = this.#limits.pixelFactor * this.maxPixels;
    if (this.#admitted.pixels <= most) return;
    throw new HearthError(
      'invalid_image',
      `The images of the request have ${this.#admitted.pixels} pixels together; at most ${most} are allowed. Send fewer, or smaller ones.`,
      { field },
    );
  }

  /**
   * Counts the bytes of an image that the turn holds until `release`.
   *
   * @throws HearthError `invalid_image`; `queue_full` where the whole server holds as many as it may.
   */
  hold(bytes: number, field: string): void {
    if (this.#preparedBytes + bytes > this.#limits.preparedBytes) {
      throw new HearthError(
        'invalid_image',
        `The images of the conversation take more than ${inMebibytes(this.#limits.preparedBytes)} MiB together. Send fewer, or start a new conversation.`,
        { field },
      );
    }
    if (heldBytes + bytes > maxHeldBytes) {
      throw new HearthError(
        'queue_full',
        'The server already holds the maximum of images. Try again when other requests have ended.',
      );
    }
    this.#preparedBytes += bytes;
    heldBytes += bytes;
  }

  release(): void {
    heldBytes -= this.#preparedBytes;
    this.#preparedBytes = 0;
  }
}

/** The engine scales an image down to this itself. */
function usefulPixels({ projector }: Pick<ModelEntry, 'projector'>): number {
  const { patchSize, patches } = projector ?? { patchSize: 0, patches: 0 };
  const ofTiles = maxTiles * patches * patchSize ** 2;
  return Math.max(ofTiles, maxImageTokens * (2 * (patchSize || commonPatchSize)) ** 2);
}

function inMebibytes(bytes: number): number {
  return Math.ceil(bytes / mebibyte);
}
