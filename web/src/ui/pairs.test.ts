import { expect, it } from 'vitest';
import { formatPairs, linesOf, parsePairs } from './pairs.ts';

it('reads pairs, also with = in the value and names of the prototype', () => {
  const text = 'KEY = a=b\n\n  EMPTY=\n__proto__ = x';
  const parsed = parsePairs(text);
  expect('pairs' in parsed && Object.entries(parsed.pairs)).toEqual([
    ['KEY', 'a=b'],
    ['EMPTY', ''],
    ['__proto__', 'x'],
  ]);
});

it('names the line that is not a pair', () => {
  expect(parsePairs('A = 1\nnothing')).toEqual({ badLine: 'nothing' });
  expect(parsePairs('= 1')).toEqual({ badLine: '= 1' });
});

it('writes what it reads', () => {
  const pairs = { A: '1', B: 'two = 2' };
  expect(parsePairs(formatPairs(pairs))).toEqual({ pairs });
  expect(linesOf(' one \n\n two')).toEqual(['one', 'two']);
});
