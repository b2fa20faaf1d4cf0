import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';
import { hostileText } from '../../../test/setup/speech-script/hostile-text.ts';

it('is idempotent, and returns one trimmed line', () => {
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
])('terminates for deeply nested %s', (_, text) => {
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

  const repeat = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

  // With quadratic time, this length would take minutes and exceed the time limit of a test.
  it.each(texts)('is linear in the length of a text that repeats %j', (unit) => {
    const cleaned = cleanText(repeat(unit, 256 * 1024));
    expect(cleaned.length).toBeLessThanOrEqual(256 * 1024 + unit.length);
  });

  it('cleans a megabyte of prose', () => {
    const line =
      'It was a “bright” cold day in April (sighs), and <b>Winston</b> 😀 read https://x.com/a. ';
    const count = Math.ceil((1024 * 1024) / line.length);
    expect(cleanText(line.repeat(count))).toBe(`${cleanText(line)} `.repeat(count).trim());
  });
});
