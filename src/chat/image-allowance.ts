import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';
import type { ImageHeader } from './image-header.ts';

const mebibyte = 1024 * 1024;
/**
 * Limits of several images together: pixels as a multiple of the limit of one image, and bytes as
 * received and as held.
 */
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
/** An import has the images of many requests. */
export const importLimits: AllowanceLimits = {
  pixelFactor: 64,
  encodedBytes: 64 * mebibyte,
  preparedBytes: 96 * mebibyte,
};
/** Maximum bytes of prepared images that all turns of the server hold together. */
const maxHeldBytes = 256 * mebibyte;
/** Patch size to assume if the header does not declare one. */
const commonPatchSize = 16;
/**
 * The engine's maximum number of tokens for a vision encoder with dynamic image size. Each token merges two by two
 * patches.
 */
const maxImageTokens = 4096;
/** Maximum tiles of an image for a vision encoder with a fixed image size. */
const maxTiles = 16;

/** Error codes, with the names of the media for their messages. */
const mediaOf = { invalid_image: 'images', invalid_audio: 'images and audio files' } as const;
type MediaError = keyof typeof mediaOf;

let heldBytes = 0;

/**
 * Limits of the images and audio of one turn: decoding time, size of the body, and memory until the
 * turn ends.
 */
export class ImageAllowance {
  /** Limit for one image. */
  readonly maxPixels: number;
  /** Upper bound of the pixels that the model uses; an image with more is scaled down. */
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
   * Counts the received bytes of an image or audio before it is decoded.
   *
   * @throws HearthError with `code`.
   */
  admitBytes(bytes: number, field: string, code: MediaError = 'invalid_image'): void {
    this.#admitted.bytes += bytes;
    if (this.#admitted.bytes <= this.#limits.encodedBytes) return;
    throw new HearthError(
      code,
      `The ${mediaOf[code]} of the request take ${inMebibytes(this.#admitted.bytes)} MiB together; at most ${inMebibytes(this.#limits.encodedBytes)} are allowed. Send fewer, or smaller ones.`,
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
   * Counts the bytes of an image or audio that the turn holds until `release`.
   *
   * @throws HearthError with `code`; `queue_full` if the server holds the maximum.
   */
  hold(bytes: number, field: string, code: MediaError = 'invalid_image'): void {
    if (this.#preparedBytes + bytes > this.#limits.preparedBytes) {
      throw new HearthError(
        code,
        `The ${mediaOf[code]} of the conversation take more than ${inMebibytes(this.#limits.preparedBytes)} MiB together. Send fewer, or start a new conversation.`,
        { field },
      );
    }
    if (heldBytes + bytes > maxHeldBytes) {
      throw new HearthError(
        'queue_full',
        'The server already holds the maximum of images and audio. Try again when other requests have ended.',
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

/** The engine itself scales images down to this size. */
function usefulPixels({ projector }: Pick<ModelEntry, 'projector'>): number {
  const { patchSize, patches } = projector ?? { patchSize: 0, patches: 0 };
  const ofTiles = maxTiles * patches * patchSize ** 2;
  return Math.max(ofTiles, maxImageTokens * (2 * (patchSize || commonPatchSize)) ** 2);
}

function inMebibytes(bytes: number): number {
  return Math.ceil(bytes / mebibyte);
}
