import { expect, it } from 'vitest';
import { splitText } from './split-text.ts';

it('splits between sentences, then between words, then anywhere', () => {
  expect(splitText('One. Two. Three.', 10)).toEqual(['One. Two.', 'Three.']);
  expect(splitText('One two three.', 8)).toEqual(['One two', 'three.']);
  expect(splitText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
  expect(splitText('Short.', 10)).toEqual(['Short.']);
});

it('keeps all words, and no part is too long', () => {
  const text = 'The sea is calm. '.repeat(500) + 'x'.repeat(2500);
  const parts = splitText(text, 1000);
  expect(parts.every(({ length }) => length <= 1000)).toBe(true);
  const letters = (all: string) => all.replaceAll(/\s/g, '');
  expect(letters(parts.join(''))).toBe(letters(text));
});
