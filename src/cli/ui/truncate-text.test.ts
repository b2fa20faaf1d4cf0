import { expect, it } from 'vitest';
import { truncateText } from './truncate-text.ts';

it.each([
  ['short', 5, 'short'],
  ['a rather long text', 14, 'a rather long…'],
  ['a rather long text', 13, 'a rather…'],
  ['a rather long text', 9, 'a rather…'],
  ['uninterrupted', 6, 'unint…'],
  ['a uninterrupted', 8, 'a unint…'],
  ['日本語のモデル', 9, '日本語の…'],
  ['👩‍👩‍👧 family', 4, '👩‍👩‍👧…'],
])('%j in %d columns is %j', (text, columns, shortened) => {
  expect(truncateText(text, columns)).toBe(shortened);
});
