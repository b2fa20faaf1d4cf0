import type { Metadata } from 'sharp';

/** Facts in the header of an image. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  readonly format: string;
  /** Memory that decoding takes beyond a few rows; 0 for a format that is read row by row. */
  readonly decodedBytes: number;
}

export function toImageHeader(metadata: Metadata): ImageHeader {
  const { width, height, format } = metadata;
  return { width, height, format, decodedBytes: width * height * heldBytesPerPixel(metadata) };
}

/** Bytes that the decoder of the format holds for each pixel of the whole image. */
function heldBytesPerPixel(metadata: Metadata): number {
  const { format, channels, depth, isProgressive, chromaSubsampling = '', orientation } = metadata;
  const pixelBytes = channels * (depth === 'ushort' ? 2 : 1);
  // Turning an image takes all of it; a JPEG is scaled down before.
  const turned = orientation === undefined || orientation < 2 ? 0 : pixelBytes;
  switch (format) {
    case 'jpeg':
      // Coefficients of two bytes, for a quarter of the pixels in two channels if colors are subsampled.
      if (!isProgressive) return turned / 4;
      return (chromaSubsampling.startsWith('4:4:4') ? 2 : 1) * channels + turned / 4;
    case 'png':
      return (isProgressive ? pixelBytes : 0) + turned;
    case 'gif':
      // The picture and the previous one.
      return 8;
    default:
      return 4 + turned;
  }
}
