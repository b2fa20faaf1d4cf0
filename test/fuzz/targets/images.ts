import sharp from 'sharp';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import { ImageAllowance } from '../../../src/chat/image-allowance.ts';
import { admitImage, prepareImage } from '../../../src/chat/image.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const picture = () =>
  sharp({ create: { width: 24, height: 16, channels: 3, background: '#4060c0' } });

/** Images in requests: headers, and the content of small images. */
export const images: FuzzTarget = {
  seeds: () =>
    Promise.all([
      picture().png().toBuffer(),
      picture().png({ progressive: true, palette: true }).toBuffer(),
      picture().jpeg().toBuffer(),
      picture().jpeg({ progressive: true, mozjpeg: true }).toBuffer(),
      picture().webp().toBuffer(),
      picture().gif().toBuffer(),
      picture()
        .withExif({ IFD0: { Orientation: '6' } })
        .jpeg()
        .toBuffer(),
    ]),
  words: [
    'IHDR',
    'IDAT',
    'iCCP',
    'tRNS',
    'eXIf',
    'IEND',
    'Exif',
    'JFIF',
    'GIF89a',
    'RIFF',
    'VP8X',
    'ANIM',
  ],
  run: async (input) => {
    const url = `data:image/png;base64,${input.toString('base64')}`;
    const allowance = new ImageAllowance({ projector: null }, 1_000_000);
    try {
      await admitImage(url, allowance, 'input[0]');
      await prepareImage(url, allowance, 'input[0]');
    } finally {
      allowance.release();
    }
  },
  isDeclared: (error) => error instanceof HearthError,
};
