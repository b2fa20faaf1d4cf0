import { expect, it } from 'vitest';
import { formatDuration } from './duration.ts';

it.each([
  [0, '0 ms'],
  [0.0404, '40 ms'],
  [0.9999, '1.0 sec'],
  [1.84, '1.8 sec'],
  [59.96, '1 min'],
  [180, '3 min'],
  [3580, '1 hr'],
  [7200, '2 hr'],
  [259_200, '3 days'],
])('shows %d seconds as %s', (seconds, shown) => {
  expect(formatDuration(seconds)).toBe(shown);
});
