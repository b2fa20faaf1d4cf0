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
/** The engine's largest number for a tower with a dynamic size; each joins two patches by two. */
const maxImageTokens = 4096;
/** Limit for a tower with a fixed size that gets an image in tiles. */
const maxTiles = 16;

/** The refused part, and its name in the message. */
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
   * Counts the bytes of an image or of audio as it came, before it is read.
   *
   * @throws HearthError of the code.
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
   * Counts the bytes of an image or of audio that the turn holds until `release`.
   *
   * @throws HearthError of the code; `queue_full` where the whole server holds as many as it may.
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

/** The engine scales an image down to this itself. */
function usefulPixels({ projector }: Pick<ModelEntry, 'projector'>): number {
  const { patchSize, patches } = projector ?? { patchSize: 0, patches: 0 };
  const ofTiles = maxTiles * patches * patchSize ** 2;
  return Math.max(ofTiles, maxImageTokens * (2 * (patchSize || commonPatchSize)) ** 2);
}

function inMebibytes(bytes: number): number {
  return Math.ceil(bytes / mebibyte);
}
