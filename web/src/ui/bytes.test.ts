import { expect, it } from 'vitest';
import { formatBytes } from './bytes.ts';

it.each([
  [0, '0 byte'],
  [999, '999 byte'],
  [3_131_840, '3.13 MB'],
  [12_345_678, '12.3 MB'],
  [999_900_000, '1.00 GB'],
  [127_826_592, '128 MB'],
])('shows %d bytes as %s', (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});
