import { expect, it } from 'vitest';
import { spokenText } from './spoken-text.ts';

it.each([
  ['# Tides\n\nHigh **at** `noon`.', 'Tides\n\nHigh at noon .'],
  ['See [the log](https://example.org/a) now', 'See the log now'],
  ['Before\n```js\nrun()\n```\nafter', 'Before\n\nafter'],
  ['Open\n```js\nrun()', 'Open'],
  ['| a | b |\n| --- | --- |\n| 1 | 2 |', 'a b \n\n 1 2'],
  ['- one\n- two', 'one\ntwo'],
])('speaks %j', (markdown, spoken) => {
  expect(spokenText(markdown)).toBe(spoken);
});

it('takes no longer for hostile marks than for their length', () => {
  for (const mark of ['[', '![a](', '```\n', '# ', '|', '*', '- \n'])
    expect(spokenText(mark.repeat(1_000_000)).length).toBeLessThanOrEqual(50_000);
});
