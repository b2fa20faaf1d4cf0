import { stripVTControlCharacters } from 'node:util';
import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { qrCodeLines } from './qr-code.ts';

const url = 'http://192.168.100.100:1234/open#code=q3X0mQ7b1yZfKc9V2rUe5tJ8wLhNs4oP';

/** Reads the modules from lines as a terminal shows them: true for dark modules. */
function modulesOf(lines: readonly string[], isInkDark: boolean): readonly boolean[][] {
  return lines.flatMap((line) => {
    const characters = stripVTControlCharacters(line).split('');
    const ink = characters.map((character) => ['█▀'.includes(character), '█▄'.includes(character)]);
    return [0, 1].map((half) => ink.map((halves) => (halves[half] ?? false) === isInkDark));
  });
}

it.each([true, false])(
  'draws the modules of the code within 80 columns, with colors: %s',
  (hasColors) => {
    const { data, size } = encode(url, { ecc: 'L', border: 2 });
    expect(size).toBeLessThan(80);
    const drawn = modulesOf(qrCodeLines(url, hasColors), hasColors);
    expect(drawn.slice(0, size)).toEqual(data);
  },
);
