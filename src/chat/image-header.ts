import type { Metadata } from 'sharp';

/** Facts in the header of an image. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  readonly format: string;
  /** Memory for decoding beyond a few rows; 0 for a format that is decoded row by row. */
  readonly decodedBytes: number;
}

export function toImageHeader(metadata: Metadata): ImageHeader {
  const { width, height, format } = metadata;
  return { width, height, format, decodedBytes: width * height * heldBytesPerPixel(metadata) };
}

/** Memory that the format's decoder needs, in bytes per pixel of the image. */
function heldBytesPerPixel(metadata: Metadata): number {
  const { format, channels, depth, isProgressive, chromaSubsampling = '', orientation } = metadata;
  const pixelBytes = channels * (depth === 'ushort' ? 2 : 1);
  // Rotation needs the whole image; a JPEG is scaled down before.
  const turned = orientation === undefined || orientation < 2 ? 0 : pixelBytes;
  switch (format) {
    case 'jpeg':
      // A progressive JPEG holds coefficients of two bytes. With chroma subsampling, two channels have a quarter of the
      // pixels.
      if (!isProgressive) return turned / 4;
      return (chromaSubsampling.startsWith('4:4:4') ? 2 : 1) * channels + turned / 4;
    case 'png':
      return (isProgressive ? pixelBytes : 0) + turned;
    case 'gif':
      // The current frame and the previous one.
      return 8;
    default:
      return 4 + turned;
  }
}
