import { describe, expect, it } from 'vitest';
import { describeNames, formatBytes, formatCount, formatDuration } from './format.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [3_134_464, '3.1 MB'],
    [99_960_000, '100 MB'],
    [999_600_000, '1.0 GB'],
    [7e15, '7000 TB'],
  ])('writes %d as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.0234, '23 ms'],
    [0.9996, '1.0 s'],
    [2.44, '2.4 s'],
    [59.97, '1 min'],
    [303, '5 min 3 s'],
    [3600, '1 h'],
    [7805, '2 h 10 min'],
    [90_000, '1 d 1 h'],
  ])('writes %d s as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('formatCount', () => {
  it('separates thousands', () => {
    expect(formatCount(131_072)).toBe('131,072');
  });
});

describe('describeNames', () => {
  it.each([
    [[], 'There are none.'],
    [['calm'], 'There is only "calm".'],
    [['calm', 'wild'], 'There are "calm" and "wild".'],
    [['a', 'b', 'c'], 'There are "a", "b" and "c".'],
  ])('%j', (names, expected) => {
    expect(describeNames(names)).toBe(expected);
  });

  it('shows twenty names, and no long one', () => {
    const many = Array.from({ length: 25 }, (_, index) => `name${index}`);
    expect(describeNames(many)).toMatch(/^There are "name0", .*, "name19" and 5 more\.$/);
    expect(describeNames(['x'.repeat(5000)])).toHaveLength('There is only "".'.length + 200);
  });
});
