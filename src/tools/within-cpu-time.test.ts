import { expect, it } from 'vitest';
import { CpuTimeError, withinCpuTime } from './within-cpu-time.ts';

it('gives what the work gives and throws what it throws', () => {
  expect(withinCpuTime(1000, () => 7)).toBe(7);
  const error = new Error('mine');
  expect(() =>
    withinCpuTime(1000, () => {
      throw error;
    }),
  ).toThrow(error);
});

it('stops a regular expression that would take for ever', () => {
  const hostile = /^(a+)+$/u;
  expect(() => withinCpuTime(20, () => hostile.test(`${'a'.repeat(60)}b`))).toThrow(CpuTimeError);
  expect(withinCpuTime(1000, () => 'still works')).toBe('still works');
});
