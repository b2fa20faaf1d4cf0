import { expect, it } from 'vitest';
import { fenceFor } from './code-fence.ts';

it.each([
  ['plain', '```'],
  ['`a` and ``b``', '```'],
  ['```js\n1\n```', '````'],
  [`\`\`\`\n${'`'.repeat(7)}`, '`'.repeat(8)],
])('is longer than any run of backticks in %j', (text, fence) => {
  expect(fenceFor(text)).toBe(fence);
});

it('reads texts with any number of runs', () => {
  expect(fenceFor('```\n'.repeat(300_000))).toBe('````');
});
