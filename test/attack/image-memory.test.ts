import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStreamableServer, type TestImage } from '../setup/mcp/streamable-server.ts';
import { picture } from '../setup/models/picture.ts';
import { post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { memoryGrowth } from '../setup/server/peak-memory.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

let shown: readonly TestImage[] = [];
const eye = await startStreamableServer(undefined, () => shown);
afterAll(() => eye.close());
const hearth = useHearth({
  flags: ['--mcp-allow-ephemeral', `--mcp-allowed-hosts=${new URL(eye.url).host}`],
});
const model = 'hearth/starter-vision';
const mebibyte = 1024 * 1024;

/** An image of `width` × `height` pixels made of repeated noise, which compresses badly. */
async function photo(width: number, height: number): Promise<Sharp> {
  const side = 500;
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const create = { width: side, height: side, channels: 3, background: 'red', noise } as const;
  const input = await sharp({ create }).png().toBuffer();
  const background = { width, height, channels: 3, background: 'red' } as const;
  return sharp({ create: background }).composite([{ input, tile: true }]);
}

const url = (bytes: Buffer, format: string) =>
  `data:image/${format};base64,${bytes.toString('base64')}`;

/** First characters of a JSON result that contains a JPEG. */
const jpegBlock = '[{"type":"image","data":"/9j/';
/** A file of a few kilobytes with 40 million pixels. */
let bomb: Buffer;
/** A JPEG with 40 million pixels. */
let largePhoto: Buffer;
const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });

const v1 = (urls: readonly string[]) =>
  post(hearth.url, '/api/v1/chat', {
    model,
    max_output_tokens: 2,
    store: false,
    input: urls.map((data_url) => ({ type: 'image', data_url })),
  });
const v0 = (urls: readonly string[]) =>
  post(hearth.url, '/api/v0/chat/completions', {
    model,
    max_tokens: 2,
    messages: [
      {
        role: 'user',
        content: urls.map((each) => ({ type: 'image_url', image_url: { url: each } })),
      },
    ],
  });

const openAi = (urls: readonly string[]) =>
  post(hearth.url, '/v1/chat/completions', {
    model,
    max_tokens: 2,
    messages: [
      {
        role: 'user',
        content: urls.map((each) => ({ type: 'image_url', image_url: { url: each } })),
      },
    ],
  });
/** The images come from a tool that the model has to call. */
const tool = (urls: readonly string[]) => {
  shown = urls.map((each) => {
    const [, mimeType = '', data = ''] = /^data:(.*);base64,(.*)$/.exec(each) ?? [];
    return { type: 'image', mimeType, data };
  });
  return post(hearth.url, '/v1/responses', {
    model,
    input: 'Look!',
    tools: [
      {
        type: 'mcp',
        server_label: 'eye',
        server_url: eye.url,
        allowed_tools: ['look'],
        require_approval: 'never',
      },
    ],
    tool_choice: 'required',
    reasoning: { effort: 'none' },
    temperature: 0,
    max_output_tokens: 60,
  });
};

function toolCallOf(answer: Awaited<ReturnType<typeof tool>> | undefined) {
  const items = (answer?.body.output ?? []) as readonly { type: string; output: string }[];
  const call = items.find(({ type }) => type === 'mcp_call');
  if (call === undefined) throw new Error(`No call: ${JSON.stringify(answer).slice(0, 500)}`);
  return call;
}

beforeAll(async () => {
  const row = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const create = { width: 16_383, height: 1, channels: 3, background: 'red', noise: row } as const;
  const input = await sharp({ create }).png().toBuffer();
  // All rows are equal, so the file is small.
  bomb = await flat(16_383, 2440)
    .composite([{ input, tile: true }])
    .webp({ lossless: true, effort: 0 })
    .toBuffer();
  largePhoto = await (await photo(7700, 5190)).jpeg({ quality: 75 }).toBuffer();
  // Loads the model, the engine and the image library.
  await v1([await picture('red')]);
});

describe('the memory of the server has a limit', () => {
  it.each([
    ['v1', v1, 'input[4].data_url'],
    ['v0', v0, 'messages[0].content[4].image_url'],
  ] as const)('for ten images of 40 million pixels: %s', async (name, send, param) => {
    let answer;
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await send(Array.from({ length: 10 }, () => url(bomb, 'webp')));
    });
    expectError(answer as never, {
      code: 'invalid_image',
      param,
      message: /images of the request have .* pixels together; at most 160000000/,
      isV0: name === 'v0',
    });
    expect(growth).toBeLessThan(300 * mebibyte);
  });

  it('for ten images of 40 million pixels: the result of a tool', async () => {
    let answer: Awaited<ReturnType<typeof tool>> | undefined;
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await tool(Array.from({ length: 10 }, () => url(bomb, 'webp')));
    });
    const { output } = toolCallOf(answer);
    expect(JSON.parse(output)).toHaveLength(10);
    // A decoded image takes 160 MB, and its decoder holds a copy. The server's own memory adds to that.
    expect(growth).toBeLessThan(400 * mebibyte);
  });

  it.each([
    ['v1', v1],
    ['v0', v0],
    ['/v1', openAi],
    ['a tool', tool],
  ] as const)('for a large photo: %s', async (_, send) => {
    expect(largePhoto.length).toBeGreaterThan(8 * mebibyte);
    let answer: Awaited<ReturnType<typeof tool>> | undefined;
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await send([url(largePhoto, 'jpeg')]);
    });
    expect(answer?.status, JSON.stringify(answer?.body).slice(0, 500)).toBe(200);
    const { output } = send === tool ? toolCallOf(answer) : { output: jpegBlock };
    expect(output.slice(0, jpegBlock.length)).toBe(jpegBlock);
    expect(growth).toBeLessThan(300 * mebibyte);
  });

  it.each([
    ['a photo', async () => (await photo(7700, 5190)).jpeg({ quality: 90 })],
    ['a drawing', async () => flat(16_383, 2440).webp({ lossless: true, effort: 0 })],
    ['an interlaced PNG', async () => flat(8000, 5000).png({ progressive: true })],
    ['a GIF', async () => flat(5000, 4900).gif({ effort: 1, colours: 4 })],
  ] as const)('for %s that is answered', async (_, make) => {
    const image = await make();
    const { data, info } = await image.toBuffer({ resolveWithObject: true });
    let status;
    const growth = await memoryGrowth(hearth.pid, async () => {
      ({ status } = await v1([url(data, info.format)]));
    });
    expect(status).toBe(200);
    expect(growth).toBeLessThan(300 * mebibyte);
  });

  it('for a progressive JPEG, which has to be held as a whole', async () => {
    const large = await flat(6600, 5000)
      .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer();
    let answer;
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await v1([url(large, 'jpeg')]);
    });
    expect((answer as { body?: unknown } | undefined)?.body).toMatchObject({
      model_instance_id: model,
    });
    expect(growth).toBeLessThan(300 * mebibyte);
  });

  it('for as many encoded bytes as a body holds', async () => {
    const noise = url(await (await photo(1600, 1500)).png().toBuffer(), 'png');
    const many = Array.from({ length: Math.floor(66_000_000 / noise.length) }, () => noise);
    let answer;
    const growth = await memoryGrowth(hearth.pid, async () => {
      answer = await v1(many);
    });
    expectError(answer as never, {
      code: 'invalid_image',
      param: `input[${Math.floor((32 * mebibyte * 4) / 3 / noise.length)}].data_url`,
      message: /images of the request take .* MiB together; at most 32/,
    });
    expect(growth).toBeLessThan(300 * mebibyte);
  });
});

describe('an image with more data than pixels', () => {
  const small = () => flat(64, 64);
  /** A chunk of a PNG. */
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  const packed = (prefix = '') =>
    Buffer.concat([Buffer.from(prefix), deflateSync(Buffer.alloc(400 * mebibyte))]);
  const headEnd = 33;

  it.each<[string, string, () => Promise<Buffer>]>([
    [
      'a comment that unpacks to 400 MiB',
      'png',
      async () => {
        const png = await small().png().toBuffer();
        const comment = chunk('zTXt', packed('Comment\0\0'));
        return Buffer.concat([png.subarray(0, headEnd), comment, png.subarray(headEnd)]);
      },
    ],
    [
      'rows that unpack to 400 MiB',
      'png',
      async () => {
        const png = await small().png().toBuffer();
        const end = chunk('IEND', Buffer.alloc(0));
        return Buffer.concat([png.subarray(0, headEnd), chunk('IDAT', packed()), end]);
      },
    ],
    [
      '3,000 frames',
      'gif',
      async () => {
        const gif = await flat(1000, 1000).gif({ effort: 1 }).toBuffer();
        const start = gif.indexOf(Buffer.from([0x21, 0xf9]));
        const frame = gif.subarray(start, -1);
        const frames = Array.from({ length: 3000 }, () => frame);
        return Buffer.concat([gif.subarray(0, start), ...frames, gif.subarray(-1)]);
      },
    ],
  ])('takes no more memory: %s', async (_, format, make) => {
    const image = url(await make(), format);
    let status;
    const growth = await memoryGrowth(hearth.pid, async () => {
      ({ status } = await v1([image]));
    });
    expect(status).toBe(200);
    expect(growth).toBeLessThan(150 * mebibyte);
  });
});

it('serves many requests with large images at once', { timeout: 120_000 }, async () => {
  let statuses: number[] = [];
  const growth = await memoryGrowth(hearth.pid, async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => v1([url(bomb, 'webp')])));
    statuses = answers.map(({ status }) => status);
  });
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
  expect(growth).toBeLessThan(300 * mebibyte);
});
