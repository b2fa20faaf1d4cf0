import { expect, test } from 'vitest';
import { quantizationName, quantizationRank } from './quantization.ts';

const noTensors = new Map<string, number>();

test.each([
  ['the header', 15, null, 'Q4_K_M'],
  ['a guess in the header', 1024 + 7, null, 'Q8_0'],
  ['the name where it says more', 15, 'Q4_K_XL', 'Q4_K_XL'],
  ['the header where the name says another width', 2, 'Q8_0', 'Q4_0'],
  ['the name where the header says nothing', null, 'IQ4_XS', 'IQ4_XS'],
  ['the name of a mixed format', 38, 'MXFP4', 'MXFP4'],
  ['nothing', null, null, null],
])('the name comes from %s', (_source, fileType, nameInFileName, expected) => {
  expect(quantizationName(fileType, noTensors, nameInFileName)).toBe(expected);
});

test('without a word in the header the largest share of the tensors counts', () => {
  const bytesByType = new Map([
    ['F32', 100],
    ['Q6_K', 900],
  ]);
  expect(quantizationName(null, bytesByType, null)).toBe('Q6_K');
});

test('the common level is offered first, then the better ones, then the smaller', () => {
  const names = ['F16', 'Q2_K', 'Q8_0', 'Q4_K_S', 'Q5_K_M', 'Q4_0', 'Q4_K_M', 'Q6_K', 'IQ4_XS'];
  expect(names.toSorted((left, right) => quantizationRank(left) - quantizationRank(right))).toEqual(
    ['Q4_K_M', 'Q4_K_S', 'Q4_0', 'IQ4_XS', 'Q5_K_M', 'Q6_K', 'Q8_0', 'F16', 'Q2_K'],
  );
});
