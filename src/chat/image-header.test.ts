import sharp, { type Metadata } from 'sharp';
import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { ImageAllowance } from './image-allowance.ts';
import { toImageHeader } from './image-header.ts';
import { admitImage, prepareImage, toDataUrl } from './image.ts';

const canvas = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: 'teal' } });
const urlOf = (bytes: Buffer) => toDataUrl({ mediaType: 'image/any', bytes });

describe('the memory that decoding an image takes', () => {
  const headerOf = async (bytes: Buffer) => {
    const { width, height, format, decodedBytes } = toImageHeader(await sharp(bytes).metadata());
    return [width, height, format, decodedBytes / (width * height)];
  };

  it.each([
    ['png', {}, 0],
    ['png', { progressive: true }, 3],
    ['jpeg', {}, 0],
    ['jpeg', { progressive: true }, 3],
    ['jpeg', { progressive: true, chromaSubsampling: '4:4:4' }, 6],
    ['gif', {}, 8],
    ['webp', {}, 4],
  ] as const)('of a %s with %j is %i bytes a pixel', async (format, options, bytes) => {
    const image = await canvas(8, 6).toFormat(format, options).toBuffer();
    expect(await headerOf(image)).toEqual([8, 6, format, bytes]);
  });

  it.each([
    ['png', 3],
    ['jpeg', 3 / 4],
    ['webp', 7],
  ] as const)('of a %s that has to be turned is %d bytes a pixel', async (format, bytes) => {
    const turned = await canvas(8, 6).withMetadata({ orientation: 2 }).toFormat(format).toBuffer();
    expect((await headerOf(turned)).at(-1)).toBe(bytes);
    const upright = await canvas(8, 6).withMetadata({ orientation: 1 }).toFormat(format).toBuffer();
    expect((await headerOf(upright)).at(-1)).toBe(bytes === 7 ? 4 : 0);
  });

  it('of a turned progressive image counts both', () => {
    const metadata = { width: 1, height: 1, channels: 4, isProgressive: true, orientation: 8 };
    const bytesOf = (changes: Partial<Metadata>) =>
      toImageHeader({ ...metadata, ...changes } as Metadata).decodedBytes;
    expect(bytesOf({ format: 'png', depth: 'ushort' })).toBe(16);
    expect(bytesOf({ format: 'png', depth: 'uchar' })).toBe(8);
    expect(bytesOf({ format: 'jpeg', depth: 'uchar' })).toBe(5);
    expect(bytesOf({ format: 'jpeg', depth: 'uchar', chromaSubsampling: '4:4:4:4' })).toBe(9);
  });
});

describe('admitImage', () => {
  const admit = (bytes: Buffer, maxPixels: number) =>
    admitImage(urlOf(bytes), new ImageAllowance(modelEntry(), maxPixels), 'image');

  it('accepts an image of exactly the pixels that are allowed', async () => {
    const image = await canvas(20, 10).png().toBuffer();
    await expect(admit(image, 200)).resolves.toBeUndefined();
    await expect(admit(image, 199)).rejects.toMatchObject({
      code: 'invalid_image',
      field: 'image',
      message: 'The image has 20 × 10 pixels; at most 16384 a side and 199 in all are allowed.',
    });
  });

  it.each([
    [16_384, 1],
    [1, 16_384],
  ])('accepts a side of 16384 pixels and no more (%i × %i)', async (width, height) => {
    const bytesOf = (extra: number) =>
      canvas(width === 1 ? 1 : width + extra, height === 1 ? 1 : height + extra)
        .png()
        .toBuffer();
    await expect(admit(await bytesOf(0), 1_000_000)).resolves.toBeUndefined();
    await expect(admit(await bytesOf(1), 1_000_000)).rejects.toThrow(/at most 16384 a side/);
  });

  it('rejects an image whose decoder would hold too much, which a sequential one may be', async () => {
    const options = { progressive: true, chromaSubsampling: '4:4:4' };
    const progressive = await canvas(10, 10).jpeg(options).toBuffer();
    await expect(admit(progressive, 120)).resolves.toBeUndefined();
    await expect(admit(progressive, 119)).rejects.toMatchObject({
      code: 'invalid_image',
      message: expect.stringContaining(
        'has 10 × 10 pixels, too many for a jpeg that has to be held in memory as a whole',
      ),
    });
    const sequential = await canvas(10, 10).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
    await expect(admit(sequential, 119)).resolves.toBeUndefined();
  });

  it('counts the bytes that the text of an image encodes', async () => {
    const allowance = new ImageAllowance(modelEntry(), 1_000_000);
    allowance.admitBytes(32 * 2 ** 20 - 72, 'other');
    const bytes = Buffer.alloc(72, 1);
    await expect(admitImage(urlOf(bytes), allowance, 'image')).rejects.toThrow(/can't be read/);
    await expect(admitImage(urlOf(Buffer.alloc(3)), allowance, 'image')).rejects.toMatchObject({
      field: 'image',
      message: expect.stringContaining('take 33 MiB together; at most 32 are allowed'),
    });
  });

  it('names the beginning of an address that is not a data URL', async () => {
    const allowance = new ImageAllowance(modelEntry(), 1_000_000);
    const address = `https://example.org/${'x'.repeat(99)}`;
    await expect(admitImage(address, allowance, 'image')).rejects.toMatchObject({
      field: 'image',
      message: `An image must be a base64 data URL such as data:image/png;base64,...; this one starts with "https://example.org/xxxxxxxxxxxx".`,
    });
  });
});

describe('prepareImage', () => {
  const prepare = async (bytes: Buffer, usefulPixels: number) => {
    const allowance = new ImageAllowance(modelEntry(), 1_000_000);
    Object.assign(allowance, { usefulPixels });
    const image = await prepareImage(urlOf(bytes), allowance, 'image');
    allowance.release();
    const { width, height, channels, orientation } = await sharp(image.bytes).metadata();
    return { mediaType: image.mediaType, size: [width, height], channels, orientation };
  };

  it('keeps an image that the model can use as a whole, with its transparency', async () => {
    const image = await canvas(20, 10, 4).png().toBuffer();
    expect(await prepare(image, 200)).toMatchObject({
      mediaType: 'image/png',
      size: [20, 10],
      channels: 4,
    });
  });

  it('scales down a larger one and drops its transparency', async () => {
    const image = await canvas(20, 10, 4).png().toBuffer();
    expect(await prepare(image, 50)).toMatchObject({
      mediaType: 'image/jpeg',
      size: [10, 5],
      channels: 3,
    });
    expect(await prepare(await canvas(10, 20).png().toBuffer(), 50)).toMatchObject({
      size: [5, 10],
    });
    // A side has a pixel at least.
    expect(await prepare(await canvas(100, 100).png().toBuffer(), 0.5)).toMatchObject({
      size: [1, 1],
    });
  });

  it('turns an image upright', async () => {
    const image = await canvas(20, 10).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await prepare(image, 1000)).toMatchObject({ size: [10, 20], orientation: undefined });
  });
});

describe('ImageAllowance', () => {
  const projector = (patches: number, patchSize: number) =>
    modelEntry({
      projector: {
        sizeBytes: 1,
        seesImages: true,
        hearsAudio: false,
        patches,
        patchSize,
        embedding: 8,
        feedForward: 8,
      },
    });

  it.each([
    ['without a projector', modelEntry(), 4096 * 32 ** 2],
    ['with a projector of unknown size', projector(0, 0), 4096 * 32 ** 2],
    ['with a dynamic size', projector(0, 14), 4096 * 28 ** 2],
    ['with many patches', projector(10_000, 14), 16 * 10_000 * 14 ** 2],
  ])('lets a model %s use so many pixels', (_case, model, pixels) => {
    expect(new ImageAllowance(model, 1e9).usefulPixels).toBe(pixels);
    expect(new ImageAllowance(model, 1000).usefulPixels).toBe(1000);
    expect(new ImageAllowance(model, 1000).maxPixels).toBe(1000);
  });

  it('allows exactly 24 MiB for one turn, and frees them once', () => {
    const one = new ImageAllowance(modelEntry(), 1000);
    one.hold(24 * 2 ** 20 - 1, 'image');
    one.hold(1, 'image');
    expect(() => one.hold(1, 'image')).toThrow(
      expect.objectContaining({ code: 'invalid_image', field: 'image' }),
    );
    one.release();
    one.release();
    one.hold(24 * 2 ** 20, 'image');
    one.release();
  });

  it('allows 256 MiB for all turns', () => {
    // Leaves room for the images of other tests in this process.
    const mebibyte = 2 ** 20;
    const turns = Array.from({ length: 17 }, () => new ImageAllowance(modelEntry(), 1000));
    for (const turn of turns.slice(0, 15)) turn.hold(16 * mebibyte, 'image');
    turns[15]?.hold(15 * mebibyte, 'image');
    const last = turns[16];
    expect(() => last?.hold(mebibyte + 1, 'image')).toThrow(
      expect.objectContaining({ code: 'queue_full' }),
    );
    turns[0]?.release();
    last?.hold(16 * mebibyte, 'image');
    expect(() => turns[0]?.hold(mebibyte + 1, 'image')).toThrow(
      /holds the maximum of images and audio/,
    );
    for (const turn of turns) turn.release();
  });
});
