import { expect, it } from 'vitest';
import { maxCardCharacters, toModelCard } from './model-card.ts';

it('has no front matter', () => {
  const readme = '---\nlicense: mit\ntags:\n- a\n---\n# Title\n\n---\nText\n';
  expect(toModelCard(readme)).toEqual({ markdown: '# Title\n\n---\nText\n', isTruncated: false });
  expect(toModelCard('---\r\nlicense: mit\r\n---\r\n# Title').markdown).toBe('# Title');
  expect(toModelCard('---\nno end').markdown).toBe('---\nno end');
});

it('has no control characters or direction marks, and no lone surrogates', () => {
  expect(toModelCard('a\u0000b\u001b[31mc\u202Ed\te\r\nf\uD800').markdown).toBe(
    'ab[31mcd\te\nf\uFFFD',
  );
});

it('is cut at its bound', () => {
  const { markdown, isTruncated } = toModelCard('x'.repeat(maxCardCharacters + 1));
  expect([markdown.length, isTruncated]).toEqual([maxCardCharacters, true]);
  expect(toModelCard('😀'.repeat(maxCardCharacters)).markdown.isWellFormed()).toBe(true);
});

it('takes linear time for an opening that never ends', () => {
  expect(toModelCard(`---\n${'\n---x'.repeat(1_000_000)}`).isTruncated).toBe(true);
});
