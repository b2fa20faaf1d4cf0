import { expect, it } from 'vitest';
import { splitPassages } from './split-passages.ts';

it('cites lines of a text, and keeps all of it', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `Line ${index + 1} of the text here.`);
  const passages = splitPassages([{ name: 'notes.md', sections: [{ text: lines.join('\n') }] }]);
  expect(passages.map(({ text }) => text).join('\n')).toBe(lines.join('\n'));
  expect(passages[0]).toMatchObject({ source: 'notes.md, lines 1 to 38' });
  expect(passages[1]).toMatchObject({
    source: expect.stringMatching(/lines 39 to \d+$/) as string,
  });
  expect(passages.at(-1)?.source).toMatch(/ to 100$/);
  expect(Math.max(...passages.map(({ text }) => text.length))).toBeLessThanOrEqual(1000);
});

it('cites pages of a PDF', () => {
  const sections = [
    { text: 'One', place: 'page 1' },
    { text: 'Three', place: 'page 3' },
  ];
  expect(splitPassages([{ name: 'a.pdf', sections }])).toEqual([
    { source: 'a.pdf, page 1', text: 'One' },
    { source: 'a.pdf, page 3', text: 'Three' },
  ]);
});

it('divides lines without an end, also in scripts without spaces', () => {
  const words = 'word '.repeat(1000).trim();
  const [first, ...others] = splitPassages([{ name: 'a', sections: [{ text: words }] }]);
  expect(first?.text.endsWith('word')).toBe(true);
  expect(others).toHaveLength(4);
  const han = splitPassages([{ name: 'a', sections: [{ text: '海'.repeat(1000) }] }]);
  expect(han.length).toBeGreaterThan(2);
  expect(han.map(({ text }) => text).join('')).toBe('海'.repeat(1000));
});

it('has no passages of blank text', () => {
  expect(splitPassages([{ name: 'a', sections: [{ text: ' \n\n ' }] }])).toEqual([]);
});
