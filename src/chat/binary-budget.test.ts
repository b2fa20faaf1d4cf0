import { expect, it } from 'vitest';
import { BinaryBudget } from './run-rounds.ts';

it('bounds what the results of a turn hold besides text', () => {
  const budget = new BinaryBudget(10);
  const image = { type: 'image', data: '123456', mimeType: 'image/png' };
  const file = { type: 'resource', resource: { uri: 'a:b', blob: '1234' } };
  const text = { type: 'text', text: 'a'.repeat(100) };
  expect(budget.limit([text, image, image])).toEqual([
    text,
    image,
    { type: 'text', text: '[image: left out, as the results are too large]' },
  ]);
  expect(budget.limit([file, file])).toEqual([
    file,
    { type: 'text', text: '[resource: left out, as the results are too large]' },
  ]);
});

it('ignores values without binary data', () => {
  const blocks = [
    { type: 'resource', resource: null },
    { type: 'resource', resource: { uri: 'a:b', blob: 7 } },
    { type: 'resource', resource: 'text' },
  ];
  expect(new BinaryBudget(0).limit(blocks)).toEqual(blocks);
});
