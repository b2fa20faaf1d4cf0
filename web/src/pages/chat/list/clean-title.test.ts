import { expect, it } from 'vitest';
import { cleanTitle } from './clean-title.ts';

it.each([
  ['"The **Sea** at Dawn."\n\nI chose it because', 'The Sea at Dawn'],
  ['Title: Tides', 'Tides'],
  ['  # 潮の満ち引き ', '潮の満ち引き'],
  ['Moon\0 and\u001B sea', 'Moon and sea'],
  ['', ''],
  ['a'.repeat(200), 'a'.repeat(80)],
])('takes %j for a title', (answer, title) => {
  expect(cleanTitle(answer)).toBe(title);
});
