import { expect, it } from 'vitest';
import { loadTimeoutMs } from './load-timeout.ts';

const gigabyte = 1e9;

it.each([
  [0, 600],
  [5, 850],
  [400, 20_600],
])('is 10 minutes and the time in which a slow disk reads %i GB', (gigabytes, seconds) => {
  expect(loadTimeoutMs(gigabytes * gigabyte)).toBe(seconds * 1000);
});
