import { expect, it } from 'vitest';
import { toTtlSeconds } from './keep-alive.ts';

const forever = 100 * 365 * 24 * 3600;

it.each([
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  [0, 0],
  ['0', 0],
  ['0s', 0],
  [300, 300],
  ['300', 300],
  ['5m', 300],
  ['1h30m', 5400],
  ['1.5h', 5400],
  ['500ms', 0.5],
  ['5m0s', 300],
  [-1, forever],
  ['-1', forever],
  ['-1m', forever],
  [1e12, forever],
])('%j is %s seconds', (keepAlive, seconds) => {
  expect(toTtlSeconds(keepAlive)).toBe(seconds);
});

it.each(['soon', '5 m', 'm', '5d', 'h5', '--1m', Number.NaN])('rejects %j', (keepAlive) => {
  expect(() => toTtlSeconds(keepAlive)).toThrow(/`keep_alive` is .*"5m"/);
});
