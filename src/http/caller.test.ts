import { expect, it } from 'vitest';
import { callerOf } from './caller.ts';

const anonymous = { tokenId: null, permissions: [] };

it.each([
  ['192.0.2.1', 'address 192.0.2.1'],
  ['::ffff:192.0.2.1', 'address 192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', 'address 2001:db8:1:2::/64'],
  [undefined, 'address unknown'],
])('counts the address %s as %s', (address, caller) => {
  expect(callerOf(anonymous, address)).toBe(caller);
});

it('counts a token as one caller, wherever it comes from', () => {
  expect(callerOf({ tokenId: 'a1', permissions: [] }, '192.0.2.1')).toBe('token a1');
});
