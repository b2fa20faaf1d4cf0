import { createHash } from 'node:crypto';
import { HearthError } from '../contract/errors.ts';
import type { ModelEntry } from '../models/model.ts';

/** A decoded and re-encoded image, for the engine and the store. */
export interface PreparedImage {
  readonly sha256: string;
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
}

/** Maximum length of a side, in pixels. */
const maxSidePixels = 16_384;
const formats = 'png, jpeg, webp, gif';
/** The operations of libvips that read these formats. */
const decoders = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}`);

/** Imported with the first image, as most servers never get one. */
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

/**
 * Decodes and re-encodes an image in a base64 data URL (JPEG stays JPEG, all others become
 * PNG), so that the engine's decoder only reads output of this encoder.
 *
 * @param field Domain path of the image, for errors.
 * @throws HearthError `invalid_image`.
 */
export async function prepareImage(
  dataUrl: string,
  maxPixels: number,
  field: string,
): Promise<PreparedImage> {
  const refuse = (reason: string): HearthError =>
    new HearthError('invalid_image', reason, { field });
  const encoded = /^data:image\/[a-z0-9.+-]{1,64};base64,/i.exec(dataUrl.slice(0, 128))?.[0];
  if (encoded === undefined) {
    const start = JSON.stringify(dataUrl.slice(0, 32));
    throw refuse(
      `An image must be a base64 data URL such as data:image/png;base64,...; this one starts with ${start}.`,
    );
  }
  const source = Buffer.from(dataUrl.slice(encoded.length), 'base64');
  const sharp = await (decoder ??= loadDecoder());
  try {
    // This reads only the header, independent of the image size.
    const { width, height, format } = await sharp(source, { limitInputPixels: false }).metadata();
    if (width > maxSidePixels || height > maxSidePixels || width * height > maxPixels) {
      throw refuse(
        `The image has ${width} × ${height} pixels; at most ${maxSidePixels} a side and ${maxPixels} in all are allowed.`,
      );
    }
    const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 });
    const isJpeg = format === 'jpeg';
    const upright = image.autoOrient();
    const bytes = await (isJpeg ? upright.jpeg({ quality: 92 }) : upright.png()).toBuffer();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { sha256, mediaType: isJpeg ? 'image/jpeg' : 'image/png', bytes };
  } catch (error) {
    if (error instanceof HearthError) throw error;
    throw refuse(`The image can't be read: ${reasonOf(error)}. Allowed are ${formats}.`);
  }
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

/** The image library, with all decoders disabled except those of the allowed formats. */
async function loadDecoder() {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders });
  return sharp;
}
