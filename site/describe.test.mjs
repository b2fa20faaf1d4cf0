import { expect, it } from 'vitest';
import { describe } from './describe.mjs';

it.each([
  [
    '# Title\n\nThe server loads `a` and\n[b c](d.md#e). It is fast.\n\nMore.',
    'The server loads a and b c.',
  ],
  ['# Title\n\nVersion 0.1 of *Hearth*', 'Version 0.1 of Hearth'],
  ['# Title\n\n| a | b |\n| --- | --- |', ''],
  ['# Title\n\n```sh\nls\n```\n', ''],
])('describes a page by its first sentence', (page, description) => {
  expect(describe(page)).toBe(description);
});
