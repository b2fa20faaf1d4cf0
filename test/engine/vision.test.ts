import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import { createTestEngines, generateAll, type TestEngines } from '../setup/engine/test-engines.ts';

let engines: TestEngines;
let engine: Engine;

beforeAll(async () => {
  engines = await createTestEngines();
  ({ engine } = await engines.launch('vision'));
});
afterAll(() => engines.close());

it.each(['red', 'blue'])('recognizes a %s image', async (colour) => {
  const shape = `<svg width="56" height="56"><rect width="56" height="56" fill="white"/><circle cx="28" cy="28" r="20" fill="${colour}"/></svg>`;
  const png = await sharp(Buffer.from(shape)).png().toBuffer();
  const { content } = await generateAll(engine, {
    kind: 'chat',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', dataUrl: `data:image/png;base64,${png.toString('base64')}` },
          { type: 'text', text: 'What colour is the picture?' },
        ],
      },
    ],
    sampling: { temperature: 0 },
    reasoning: 'off',
    maxTokens: 40,
  });
  expect(content.toLowerCase()).toContain(colour);
});

it('rejects bytes that are not an image', async () => {
  const image = { type: 'image', dataUrl: 'data:image/png;base64,aGVsbG8=' } as const;
  const request = {
    kind: 'chat',
    messages: [{ role: 'user', content: [image] }],
    sampling: {},
  } as const;
  await expect(generateAll(engine, request)).rejects.toMatchObject({ code: 'invalid_image' });
});
