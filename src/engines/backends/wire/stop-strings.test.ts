import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { StopStringReader } from './stop-strings.ts';

function read(stopStrings: readonly string[], pieces: readonly string[]) {
  const reader = new StopStringReader(stopStrings);
  const shown: string[] = [];
  for (const piece of pieces) {
    const { text, stopString } = reader.push(piece);
    shown.push(text);
    if (stopString !== undefined) return { shown, stopString };
  }
  return { shown: [...shown, reader.end()] };
}

it('shows text until a stop string', () => {
  expect(read(['END'], ['one', ' twoEND three'])).toEqual({
    shown: ['one', ' two'],
    stopString: 'END',
  });
});

it('holds the beginning of a stop string', () => {
  expect(read(['END'], ['oneE', 'N', 'D'])).toEqual({ shown: ['one', '', ''], stopString: 'END' });
  expect(read(['END'], ['oneE', 'N', 'd'])).toEqual({ shown: ['one', '', 'ENd', ''] });
  expect(read(['END'], ['oneEN'])).toEqual({ shown: ['one', 'EN'] });
});

it('stops at the first of several', () => {
  expect(read(['b', 'a'], ['xxa b'])).toEqual({ shown: ['xx'], stopString: 'a' });
});

it('shows the text up to a stop string, or all of it, however it is cut', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
  const stopStrings = fc.array(
    letters.filter((text) => text !== ''),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(stopStrings, fc.array(letters, { maxLength: 8 }), (stops, pieces) => {
      const whole = pieces.join('');
      const text = read(stops, pieces).shown.join('');
      expect(whole.startsWith(text)).toBe(true);
      const isFound = stops.some((stop) => whole.includes(stop));
      const ends = isFound ? stops.map((stop) => text + stop) : [whole];
      expect(ends.some((end) => whole.startsWith(end))).toBe(true);
      expect(isFound || text === whole).toBe(true);
    }),
  );
});
