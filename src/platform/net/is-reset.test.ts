import { expect, it } from 'vitest';
import { isReset } from './is-reset.ts';

it.each([
  ['UND_ERR_SOCKET', true],
  ['ECONNRESET', true],
  ['EPIPE', true],
  ['ECONNREFUSED', false],
  [undefined, false],
])('tells whether an error with the code %s is that of a closed connection', (code, expected) => {
  expect(isReset(Object.assign(new Error('failed'), { code }))).toBe(expected);
});
