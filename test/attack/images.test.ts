import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { picture } from '../setup/models/picture.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-vision';
const dataUrl = (bytes: Uint8Array | string, type = 'png') =>
  `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`;

async function noise(): Promise<Buffer> {
  const gaussian = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = {
    width: 64,
    height: 64,
    channels: 3,
    background: 'red',
    noise: gaussian,
  } as const;
  return sharp({ create }).png().toBuffer();
}

/** A PNG of a few kilobytes whose header declares this size. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const png = await noise();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

async function expectRefused(url: string, message: RegExp | string): Promise<void> {
  const v1 = { model, input: [{ type: 'image', data_url: url }] };
  expectError(await post(hearth.url, '/api/v1/chat', v1), {
    code: 'invalid_image',
    param: 'input[0].data_url',
    message,
  });
  const content = [{ type: 'image_url', image_url: { url } }];
  const v0 = { model, messages: [{ role: 'user', content }], stream: true };
  expectError(await post(hearth.url, '/api/v0/chat/completions', v0), {
    code: 'invalid_image',
    param: 'messages[0].content[0].image_url',
    message,
    isV0: true,
  });
}

describe('rejects an image of an unsupported form', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
  const unreadable = /^The image can't be read: .+\. Allowed are png, jpeg, webp, gif\.$/;
  const create = { width: 9, height: 9, channels: 3, background: 'red' } as const;
  const cases: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    ['a text', async () => dataUrl('hello'), unreadable],
    ['nothing', async () => dataUrl(''), unreadable],
    ['not base64', async () => 'data:image/png;base64,!!!!', unreadable],
    ['a PNG cut short', async () => dataUrl((await noise()).subarray(0, 6000)), unreadable],
    ['an SVG', async () => dataUrl(svg, 'svg+xml'), unreadable],
    [
      'an SVG that says it is a PNG',
      async () => dataUrl(`<?xml version="1.0"?>${svg}`),
      unreadable,
    ],
    ['a TIFF', async () => dataUrl(await sharp({ create }).tiff().toBuffer()), unreadable],
    [
      'a text of another type',
      async () => 'data:text/html;base64,aGVsbG8=',
      /must be a base64 data URL .* starts with "data:text\/html;base64,aGVsbG8="/,
    ],
  ];

  it.each(cases)('%s', async (_, make, message) => {
    await expectRefused(await make(), message);
  });
});

describe('an image that is too large', () => {
  it('is refused if a side is 60,000 pixels long', async () => {
    const message = /^The image has 60000 × 4 pixels; at most 16384 a side and 40000000 in all/;
    await expectRefused(await picture('red', 60_000, 4), message);
  });

  // covers error-21
  it('is rejected for its header, without decoding it', async () => {
    const memory = async () => (await get(hearth.url, '/api/v1/status')).body.memory.resident_bytes;
    await expectRefused(dataUrl(await noise()).slice(0, 100), /can't be read/);
    const before = await memory();
    await expectRefused(dataUrl(await claiming(50_000, 50_000)), 'has 50000 × 50000 pixels');
    await expectRefused(dataUrl(await claiming(16_000, 16_000)), '40000000 in all are allowed');
    expect((await memory()) - before).toBeLessThan(100 * 1024 * 1024);
  });
});

it('fetches nothing and reads no file', async () => {
  const remote = await startLoopbackServer((_, response) => response.end());
  for (const url of [
    `${remote.url}/picture.png`,
    'file:///etc/hostname',
    '/etc/hostname',
    '//x/y',
  ]) {
    await expectRefused(url, `starts with ${JSON.stringify(url.slice(0, 32))}`);
  }
  expect(remote.requests).toEqual([]);
  await remote.close();
});

it('rejects to continue after an image with a model without vision', async () => {
  const first = await post(hearth.url, '/api/v1/chat', {
    model,
    reasoning: 'off',
    input: [{ type: 'image', data_url: await picture('red') }],
  });
  const next = {
    model: 'hearth/starter-chat',
    input: 'What colour was it?',
    previous_response_id: first.body.response_id,
  };
  expectError(await post(hearth.url, '/api/v1/chat', next), {
    code: 'vision_unsupported',
    param: 'previous_response_id',
    message: "hearth/starter-chat can't see images",
  });
});
