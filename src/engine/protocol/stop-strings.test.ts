import fc from 'fast-check';
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

it('finds what the whole text has, however it is cut', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
  const stopStrings = fc.array(
    letters.filter((text) => text !== ''),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(stopStrings, fc.array(letters, { maxLength: 8 }), (stops, pieces) => {
      const whole = pieces.join('');
      const indexes = stops.map((stop) => whole.indexOf(stop)).filter((index) => index !== -1);
      const { shown } = read(stops, pieces);
      // A shorter stop string may end before a longer one that begins earlier.
      const text = shown.join('');
      expect(whole.startsWith(text)).toBe(true);
      if (indexes.length === 0) expect(text).toBe(whole);
      else expect(stops.some((stop) => whole.startsWith(stop, text.length))).toBe(true);
    }),
  );
});
