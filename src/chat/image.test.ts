import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { ImageAllowance } from './image-allowance.ts';
import { admitImage, assertVision, prepareImage, toDataUrl } from './image.ts';

const maxPixels = 1_000_000;
const field = 'messages[0].content[0]';
const allow = () => new ImageAllowance(modelEntry(), maxPixels);
const prepare = (dataUrl: string) => prepareImage(dataUrl, allow(), field);
const encode = (mediaType: string, bytes: Buffer) =>
  `data:${mediaType};base64,${bytes.toString('base64')}`;

describe('prepareImage', () => {
  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/png'],
    ['gif', 'image/png'],
  ] as const)('re-encodes %s as %s', async (format, mediaType) => {
    const original = sharp({ create: { width: 8, height: 6, channels: 3, background: 'teal' } });
    const bytes = await original.toFormat(format).toBuffer();
    const image = await prepare(encode(`image/${format}`, bytes));
    expect(image.mediaType).toBe(mediaType);
    expect(image.sha256).toMatch(/^[0-9a-f]{64}$/);
    const metadata = await sharp(image.bytes).metadata();
    expect([metadata.width, metadata.height]).toEqual([8, 6]);
    expect(toDataUrl(image)).toMatch(new RegExp(`^data:${mediaType};base64,`));
  });

  it('returns the same bytes for the same image', async () => {
    const [one, other] = [await prepare(await picture('red')), await prepare(await picture('red'))];
    expect(one.sha256).toBe(other.sha256);
  });

  it('removes metadata', async () => {
    const bytes = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Artist: 'Somebody' } })
      .jpeg()
      .toBuffer();
    const image = await prepare(encode('image/jpeg', bytes));
    expect(Buffer.from(image.bytes).includes('Somebody')).toBe(false);
  });

  it.each([
    ['a remote address', 'http://localhost/picture.png', /must be a base64 data URL/],
    ['a file', 'file:///etc/passwd', /must be a base64 data URL/],
    ['no base64', 'data:image/png,abc', /must be a base64 data URL/],
    ['text before the URL', ' data:image/png;base64,AA==', /must be a base64 data URL/],
    ['nothing', 'data:image/png;base64,', /can't be read/],
    ['junk', encode('image/png', Buffer.from('not an image')), /can't be read/],
    [
      'SVG',
      encode(
        'image/svg+xml',
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'),
      ),
      /can't be read: .*unsupported image format/,
    ],
  ])('refuses %s', async (_, dataUrl, message) => {
    await expect(prepare(dataUrl)).rejects.toMatchObject({
      code: 'invalid_image',
      field: 'messages[0].content[0]',
      message: expect.stringMatching(message),
    });
  });

  it('rejects a truncated image', async () => {
    const whole = Buffer.from((await picture('red', 400, 400)).split(',')[1] ?? '', 'base64');
    const half = whole.subarray(0, whole.length / 2);
    await expect(prepare(encode('image/png', half))).rejects.toThrow(/can't be read/);
  });

  it.each([
    ['wide', 60_000, 1, /60000 × 1 pixels; at most 16384 a side/],
    ['large', 1200, 1200, /pixel/],
  ])('rejects an image that is too %s', async (_, width, height, message) => {
    await expect(prepare(await picture('red', width, height))).rejects.toThrow(message);
  });
});

describe('ImageAllowance', () => {
  it('bounds the pixels of a request', async () => {
    const allowance = allow();
    const image = await picture('red', 1000, 1000);
    for (let count = 0; count < 4; count += 1) await admitImage(image, allowance, field);
    await expect(admitImage(image, allowance, field)).rejects.toThrow(
      /have 5000000 pixels together; at most 4000000 are allowed/,
    );
  });

  it('bounds the encoded bytes of a request before it reads one', () => {
    const allowance = allow();
    expect(() => allowance.admitBytes(32 * 2 ** 20, field)).not.toThrow();
    expect(() => allowance.admitBytes(1, field)).toThrow(/take 33 MiB together; at most 32/);
  });

  it('bounds what all turns hold, until they release it', () => {
    const turns = Array.from({ length: 10 }, allow);
    for (const turn of turns) turn.hold(24 * 2 ** 20, field);
    expect(() => turns[0]?.hold(1, field)).toThrow(/more than 24 MiB together/);
    const next = allow();
    expect(() => next.hold(20 * 2 ** 20, field)).toThrow(/holds the maximum of images and audio/);
    for (const turn of turns) turn.release();
    expect(() => next.hold(20 * 2 ** 20, field)).not.toThrow();
    next.release();
  });

  it('scales an image down to what the projector can use', async () => {
    const small = modelEntry({
      projector: {
        sizeBytes: 1,
        seesImages: true,
        hearsAudio: false,
        patches: 4,
        patchSize: 4,
        embedding: 8,
        feedForward: 8,
      },
    });
    const allowance = new ImageAllowance(small, maxPixels);
    const image = await prepareImage(await picture('red', 1000, 800), allowance, field);
    const { width, height } = await sharp(image.bytes).metadata();
    expect([width, height]).toEqual([572, 458]);
    expect(image.mediaType).toBe('image/jpeg');
    allowance.release();
  });
});

describe('assertVision', () => {
  it('allows images for vision models only', () => {
    expect(() => assertVision(modelEntry({ type: 'vlm' }), 'input')).not.toThrow();
    expect(() => assertVision(modelEntry(), 'input')).toThrow(/test\/model can't see images/);
  });
});
