import { expect, it } from 'vitest';
import { WordMatches } from './word-matches.ts';

const texts = [
  'The chain needs oil.',
  'Check the brakes.',
  'Oil, oil and more oil for the chain!',
  'Öl',
];

function best(queries: readonly string[], of: readonly string[] = texts, limit = 10) {
  const matches = new WordMatches<number>(queries);
  for (const [index, text] of of.entries()) matches.add(index, text);
  return matches
    .shares()
    .toSorted((left, right) => right.share - left.share)
    .slice(0, limit)
    .map(({ item }) => item);
}

it('ranks texts by the words that they share with the queries', () => {
  expect(best(['oil'])).toEqual([2, 0]);
  expect(best(['BRAKES?'])).toEqual([1]);
  expect(best(['brakes', 'oil'], texts, 1)).toEqual([1]);
  expect(best(['öl'])).toEqual([3]);
  expect(best(['gears'])).toEqual([]);
  expect(best([''])).toEqual([]);
  expect(best(['oil'], [])).toEqual([]);
});

it('scores 1 a text of mean length with all words, and less for fewer and rarer ones', () => {
  const matches = new WordMatches<number>(['the chain', 'oil']);
  for (const [index, text] of ['the oil chain', 'one two the', 'a b oil'].entries())
    matches.add(index, text);
  const [all = 0, common = 0, rare = 0] = matches.shares().map(({ share }) => share);
  expect(all).toBeCloseTo(1);
  expect(common).toBeGreaterThan(0);
  expect(common).toBeLessThan(0.5);
  expect(rare).toBeCloseTo(common);
});

it('tells whether a text has a word', () => {
  const matches = new WordMatches<number>(['oil']);
  expect([matches.add(0, 'Oil!'), matches.add(1, 'Gas')]).toEqual([true, false]);
});

it('counts rare words for more than frequent ones', () => {
  const many = ['the the the', 'the rare', 'the', 'the', 'the'];
  expect(best(['the rare'], many)[0]).toBe(1);
});

it('finds words of scripts without spaces', () => {
  expect(best(['链条'], ['给链条上油', '检查刹车'])).toEqual([0]);
});

it('takes hostile queries and texts in linear time', () => {
  const long = 'a'.repeat(500_000);
  expect(best([long, ...Array.from({ length: 2000 }, (_, index) => `w${index}`)], [long])).toEqual([
    0,
  ]);
  expect(best(['constructor __proto__'], ['constructor', 'x'])).toEqual([0]);
});
