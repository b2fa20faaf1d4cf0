import { expect, it } from 'vitest';
import { limitMarks } from './limit-marks.ts';

it('leaves 32 marks on a character', () => {
  const accents = (count: number) => `a${'\u0301'.repeat(count)}b`;
  expect(limitMarks(accents(90_000) + accents(33))).toBe(accents(32).repeat(2));
});

it.each(['naïve café', 'שָׁלוֹם', 'นี่คือ', 'हिन्दी', '👩‍👩‍👧‍👦', accentsOf('e', 32), ''])(
  'keeps %s',
  (text) => {
    expect(limitMarks(text)).toBe(text);
  },
);

function accentsOf(letter: string, count: number): string {
  return letter + '\u0300'.repeat(count);
}
