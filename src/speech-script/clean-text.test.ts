import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';
import { hostileText } from './testing/hostile-text.ts';

it('changes nothing the second time, and leaves one line without white space at its ends', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const cleaned = cleanText(text);
      expect(cleanText(cleaned)).toBe(cleaned);
      expect(cleaned).toBe(cleaned.trim());
      expect(cleaned).not.toMatch(/[\t\n\r\0]| {2}|\p{Emoji_Presentation}|https?:\/\/|<b>|[“”’]/u);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['tags', `${'<'.repeat(50)}${'b>'.repeat(50)}`],
  ['entities', `&${'amp;'.repeat(50)}lt;b>`],
])('ends with %s nested without end', (_, text) => {
  const cleaned = cleanText(text);
  expect(cleanText(cleaned)).toBe(cleaned);
  expect(cleaned).not.toMatch(/[<>&()]/);
});

describe('time', () => {
  const units =
    '< <b <b> <a="x" <a= <!-- <!--x--> <script> &amp; &amp;lt;b&amp;gt; [ ] [a] [[[[a]]]] ]( [](http:// ( (a (a) ((sighs)) （ * ** *a *a* " http:// http://( http://a.) www. “ 😀 a😀 👨‍👩‍👧 \u200d 1\u20e3 é a'.split(
      ' ',
    );
  const texts = units.flatMap((unit) => [unit, `${unit} `, `${unit}\0\n`]);

  /** The shortest of some times in milliseconds, as others use the machine too. */
  function measure(text: string, tries: number): number {
    const times = Array.from({ length: tries }, () => {
      const start = performance.now();
      cleanText(text);
      return performance.now() - start;
    });
    return Math.min(...times);
  }

  const repeat = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

  it('grows with the length, whatever is repeated', () => {
    const isSlow = (unit: string, tries: number): boolean => {
      const short = measure(repeat(unit, 8_000), tries);
      const long = measure(repeat(unit, 64_000), tries);
      // Eightfold length; the square of it would be 64.
      return long > 5 && long > short * 32;
    };
    // Others use the machine too: what seems slow is looked at again, longer.
    const slow = texts.filter((unit) => isSlow(unit, 3) && isSlow(unit, 30));
    expect(slow).toEqual([]);
  });

  it('cleans a megabyte of prose in less than 200 ms', () => {
    const line =
      'It was a “bright” cold day in April (sighs), and <b>Winston</b> 😀 read https://x.com/a. ';
    expect(measure(repeat(line, 1024 * 1024), 10)).toBeLessThan(200);
  });
});
