import { expect, it } from 'vitest';
import { parseBlocks } from './parse-blocks.ts';

const tokensOf = (text: string) => parseBlocks(text).blocks.map(({ token }) => token);

it('parses references to footnotes, and the footnotes', () => {
  const [paragraph, note, other] = tokensOf(
    'Salt[^1] water.\n\n[^1]: Of the *sea*.\n[^b]: More.\n',
  );
  expect(paragraph).toMatchObject({
    tokens: [{ text: 'Salt' }, { type: 'footnoteReference', label: '1' }, { text: ' water.' }],
  });
  expect(note).toMatchObject({ type: 'footnote', label: '1' });
  expect(note).toMatchObject({ tokens: [{ text: 'Of the ' }, { type: 'em' }, { text: '.' }] });
  expect(other).toMatchObject({ type: 'footnote', label: 'b' });
});

it('parses details with their summary and blocks, also in each other', () => {
  const inner = '<details><summary>Inner</summary>\n\nDeep.\n\n</details>';
  const text = `<details>\n<summary>The *proof*</summary>\n\n- one\n\n${inner}\n\n</details>\n\nEnd.`;
  const [details, end] = tokensOf(text);
  expect(details).toMatchObject({
    type: 'details',
    isOpen: false,
    summary: [{ text: 'The ' }, { type: 'em' }],
  });
  const { tokens } = details as unknown as { readonly tokens: readonly { type: string }[] };
  expect(tokens.map(({ type }) => type).filter((type) => type !== 'space')).toEqual([
    'list',
    'details',
  ]);
  expect(end).toMatchObject({ type: 'paragraph', raw: 'End.' });
});

it('gives the same blocks however details arrive', () => {
  const text =
    'Before.\n\n<details><summary>S</summary>\n\nOne.\n\nTwo.\n\n</details>\n\nAfter[^1].\n\n[^1]: Note.';
  let parsed = parseBlocks('');
  for (let length = 1; length <= text.length; length++)
    parsed = parseBlocks(text.slice(0, length), parsed);
  expect(parsed.blocks.map(({ token }) => token.type)).toEqual([
    'paragraph',
    'details',
    'paragraph',
    'footnote',
  ]);
  expect(parsed.blocks.map(({ raw }) => raw).join('')).toBe(text);
});

it('reads very many unclosed details and references in little time', () => {
  for (const part of ['<details>', '<details>\n\n', '[^', '[^a]: ', '[^1]', '<details><summary>']) {
    const startedAt = performance.now();
    parseBlocks(part.repeat(Math.floor(99_000 / part.length)));
    expect(performance.now() - startedAt, part).toBeLessThan(3000);
  }
});
