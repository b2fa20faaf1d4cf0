import { expect, it } from 'vitest';
import { parseMachine } from './link.ts';

it.each([
  ['box', { host: 'box', port: undefined }],
  ['box:1235', { host: 'box', port: 1235 }],
  ['box:443', { host: 'box', port: 443 }],
  ['fd00::1', { host: 'fd00::1', port: undefined }],
  ['[fd00::1]:443', { host: 'fd00::1', port: 443 }],
])('reads the machine %s', (machine, parts) => {
  expect(parseMachine(machine)).toEqual(parts);
});

it('refuses what is not a host', () => {
  expect(() => parseMachine('a b')).toThrow('"a b" is not a host');
});
