import { createHash } from 'node:crypto';
import { Mutex } from '../kernel/concurrency/semaphore.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';
import type { ImageAllowance } from './image-allowance.ts';
import { toImageHeader, type ImageHeader } from './image-header.ts';

/** A decoded and re-encoded image, for the engine and the store. */
export interface PreparedImage {
  readonly sha256: string;
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
}

/** Maximum length of a side, in pixels. */
const maxSidePixels = 16_384;
/** Maximum decoder memory for an image, in bytes per allowed pixel. */
const maxBytesPerPixel = 5;
/** Far more than any legitimate image takes. */
const decodeTimeoutSeconds = 60;
const formats = 'png, jpeg, webp, gif';
/** The libvips operations that read the allowed formats. */
const decoders = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}`);

/** Imported with the first image, since most servers never receive one. */
let decoder: ReturnType<typeof loadDecoder> | undefined;

/** @throws HearthError `vision_unsupported`. */
export function assertVision(model: ModelEntry, field: string): void {
  if (model.type === 'vlm') return;
  throw new HearthError(
    'vision_unsupported',
    `${model.key} can't see images. Choose a model of type vlm, or send text only.`,
    { field },
  );
}

/** One image at a time on the whole server: it may take much memory, and a CPU for a while. */
const decoding = new Mutex();

/**
 * Checks an image given as a base64 data URL by its header and counts it, without decoding it.
 *
 * @param field Domain path of the image, for errors.
 * @throws HearthError `invalid_image`.
 */
export async function admitImage(
  dataUrl: string,
  allowance: ImageAllowance,
  field: string,
): Promise<void> {
  const start = base64Start(dataUrl, field);
  allowance.admitBytes(Math.floor(((dataUrl.length - start) * 3) / 4), field);
  const header = await readHeader(Buffer.from(dataUrl.slice(start), 'base64'), field);
  assertSize(header, allowance.maxPixels, field);
  allowance.admitPixels(header, field);
}

/**
 * Decodes an admitted image, scales it down to the size that the model uses, and encodes it again: JPEGs and scaled
 * images as JPEG, others as PNG. So the engine decodes only images that Hearth encoded. The result counts toward the
 * allowance.
 *
 * @throws HearthError `invalid_image`, `queue_full`; the signal's reason when aborted before decoding starts.
 */
export async function prepareImage(
  dataUrl: string,
  allowance: ImageAllowance,
  field: string,
  signal?: AbortSignal,
): Promise<PreparedImage> {
  const start = base64Start(dataUrl, field);
  const image = await decoding.run(async () => {
    const source = Buffer.from(dataUrl.slice(start), 'base64');
    const header = await readHeader(source, field);
    assertSize(header, allowance.maxPixels, field);
    return encodeAnew(source, header, allowance, field);
  }, signal);
  allowance.hold(image.bytes.byteLength, field);
  return image;
}

async function encodeAnew(
  source: Buffer,
  { width, height, format }: ImageHeader,
  { maxPixels, usefulPixels }: ImageAllowance,
  field: string,
): Promise<PreparedImage> {
  const sharp = await (decoder ??= loadDecoder());
  try {
    const scale = Math.sqrt(usefulPixels / (width * height));
    const isScaled = scale < 1;
    const isJpeg = isScaled || format === 'jpeg';
    let image = sharp(source, {
      limitInputPixels: maxPixels,
      failOn: 'error',
      pages: 1,
      sequentialRead: true,
    })
      .timeout({ seconds: decodeTimeoutSeconds })
      .autoOrient();
    if (isScaled) {
      const side = Math.max(1, Math.floor(Math.max(width, height) * scale));
      // The engine ignores transparency as well.
      image = image.resize({ width: side, height: side, fit: 'inside' }).removeAlpha();
    }
    const bytes = await (isJpeg ? image.jpeg({ quality: 92 }) : image.png()).toBuffer();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { sha256, mediaType: isJpeg ? 'image/jpeg' : 'image/png', bytes };
  } catch (error) {
    throw unreadable(error, field);
  }
}

/** Position of the base64 text. */
function base64Start(dataUrl: string, field: string): number {
  const prefix = /^data:image\/[a-z0-9.+-]{1,64};base64,/i.exec(dataUrl.slice(0, 128))?.[0];
  if (prefix !== undefined) return prefix.length;
  const start = JSON.stringify(dataUrl.slice(0, 32));
  throw refusal(
    `An image must be a base64 data URL such as data:image/png;base64,...; this one starts with ${start}.`,
    field,
  );
}

/** Reads only the header, whatever size it declares. */
async function readHeader(source: Buffer, field: string): Promise<ImageHeader> {
  const sharp = await (decoder ??= loadDecoder());
  try {
    return toImageHeader(await sharp(source, { limitInputPixels: false }).metadata());
  } catch (error) {
    throw unreadable(error, field);
  }
}

function assertSize(header: ImageHeader, maxPixels: number, field: string): void {
  const { width, height, format, decodedBytes } = header;
  if (width > maxSidePixels || height > maxSidePixels || width * height > maxPixels) {
    throw refusal(
      `The image has ${width} × ${height} pixels; at most ${maxSidePixels} a side and ${maxPixels} in all are allowed.`,
      field,
    );
  }
  if (decodedBytes <= maxBytesPerPixel * maxPixels) return;
  throw refusal(
    `The image has ${width} × ${height} pixels, too many for a ${format} that has to be held in memory as a whole. Send a smaller one, or one that is not interlaced or progressive.`,
    field,
  );
}

function unreadable(error: unknown, field: string): HearthError {
  return refusal(`The image can't be read: ${reasonOf(error)}. Allowed are ${formats}.`, field);
}

function refusal(reason: string, field: string): HearthError {
  return new HearthError('invalid_image', reason, { field });
}

export function toDataUrl(image: {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}): string {
  return `data:${image.mediaType};base64,${Buffer.from(image.bytes).toString('base64')}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error
    ? (error.message.split('\n', 1)[0]?.slice(0, 200) ?? '')
    : String(error);
}

/** The image library, with decoders for the allowed formats only. */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  // Images rarely repeat, and the library never frees its cache.
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders });
  return sharp;
}
