import { expect, test } from 'vitest';
import { parameterLabel } from './models.ts';

test.each([
  [0, null],
  [950, '950'],
  [1_710_000, '1.7M'],
  [134_515_008, '135M'],
  [7_000_000_000, '7B'],
  [7_241_732_096, '7.2B'],
  [70_553_706_496, '71B'],
  [1_000_000_000_000, '1T'],
])('%d parameters are %s', (count, label) => {
  expect(parameterLabel(count)).toBe(label);
});
