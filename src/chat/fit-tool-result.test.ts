import { describe, expect, it } from 'vitest';
import { fitToolResult } from './tool-results.ts';

/** Four characters a token. */
const countTokens = async (text: string) => Math.ceil(text.length / 4);
const text = (length: number, letter = 'x') => ({ type: 'text', text: letter.repeat(length) });

describe('a result of a tool', () => {
  it('stays as it is where it fits', async () => {
    const content = [text(400), { type: 'audio', data: 'x'.repeat(9000) }];
    expect(await fitToolResult('search', content, 100, countTokens)).toEqual({
      content,
      tokens: 100,
    });
    const uncounted = async () => Number.NaN;
    expect((await fitToolResult('search', content, 400, uncounted)).content).toBe(content);
  });

  it('counts only what the model reads', async () => {
    const unread = 'x'.repeat(1000);
    const content = [
      { type: 'audio', text: unread },
      { type: 'text', text: 7 },
      { type: 'image', uri: unread },
      { type: 'resource_link', uri: 7 },
      { type: 'other', resource: { text: unread } },
      { type: 'resource', resource: { text: 7 } },
    ];
    expect(await fitToolResult('search', content, 0, countTokens)).toEqual({ content, tokens: 0 });
  });

  it('keeps the blocks before the cut unchanged', async () => {
    const first = { ...text(40), annotations: { audience: ['user'] } };
    const { content } = await fitToolResult('search', [first, text(9000)], 164, countTokens);
    expect(content[0]).toBe(first);
  });

  // covers v1-integration-14
  it('is cut to the tokens there are, with a note that names tool and sizes', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const link = { type: 'resource_link', uri: 'file:///a' };
    const { content } = await fitToolResult(
      'search',
      [text(300, 'a'), image, { type: 'resource', resource: { text: 'b'.repeat(699) } }, link],
      164,
      countTokens,
    );
    const shown = content.flatMap((block) =>
      block.type === 'text' ? [String(block['text'])] : [],
    );
    const note = shown.pop();
    expect(shown.join('')).toMatch(/^a{300}b+$/);
    expect(shown.join('').length).toBeGreaterThan(360);
    expect(await countTokens(shown.join(''))).toBeLessThanOrEqual(100);
    expect(content).toContain(image);
    expect(note).toBe(
      `[The result of search was cut to fit the context of the model: ${shown.join('').length} of 1008 characters are shown.]`,
    );
  });

  it.each([0, 64, 65])(
    'is the note alone or little more where %i tokens are left',
    async (room) => {
      const { content } = await fitToolResult('search', [text(5000)], room, countTokens);
      expect(content.at(-1)).toMatchObject({
        text: expect.stringMatching(/[04] of 5000 characters/),
      });
    },
  );

  it.each([0, 65])('keeps its images where %i tokens are left', async (room) => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const tooLong = async (counted: string) => counted.length * 1000;
    const { content } = await fitToolResult('search', [text(5000), image], room, tooLong);
    expect(content).toMatchObject([image, { text: expect.stringMatching(/: 0 of 5000 char/) }]);
  });

  it('is cut further where the kept part has more tokens than the average', async () => {
    // The first characters are a token each.
    const uneven = async (counted: string) => counted.split('y').length - 1 + counted.length / 100;
    const { content } = await fitToolResult('search', [text(500, 'y'), text(9500)], 200, uneven);
    const kept = content.slice(0, -1).map((block) => String(block['text']));
    expect(await uneven(kept.join(''))).toBeLessThanOrEqual(136);
  });

  it('is never cut within a character', async () => {
    const { content } = await fitToolResult(
      'search',
      [{ type: 'text', text: '😀'.repeat(999) }],
      99,
      countTokens,
    );
    expect(String(content[0]?.['text'])).toMatch(/^\p{Emoji}*\ufffd?$/u);
  });
});
