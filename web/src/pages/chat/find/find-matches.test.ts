import { expect, it } from 'vitest';
import type { Turn } from '../messages/turn.ts';
import { findMatches, toPattern } from './find-matches.ts';

const turn = (message: string, answer: string) =>
  ({
    input: [{ type: 'text', content: message }],
    items: [
      { type: 'reasoning', content: 'tide' },
      { type: 'message', content: answer },
    ],
  }) as unknown as Turn;

const turns = [
  turn('When is the Tide?', 'At **high  noon**, (more or less).'),
  turn('And the ebb?', 'Six hours after the tide.'),
];

it('finds messages and answers, but no reasoning', () => {
  expect(findMatches(turns, 'tide')).toEqual([
    { turnIndex: 0, part: 'message' },
    { turnIndex: 1, part: 'answer' },
  ]);
  expect(findMatches(turns, ' ')).toEqual([]);
});

it('reads across Markdown marks and takes signs literally', () => {
  expect(findMatches(turns, 'HIGH noon, (more')).toEqual([{ turnIndex: 0, part: 'answer' }]);
  expect(findMatches(turns, '.*')).toEqual([]);
  expect('a-b/c [d] {e} f|g'.search(toPattern('A-B/C [d] {e} f|g') ?? '')).toBe(0);
});
