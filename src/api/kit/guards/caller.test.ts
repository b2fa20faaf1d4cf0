import { expect, it } from 'vitest';
import { toCaller } from './caller.ts';

const anonymous = { tokenId: null, permissions: [] };

it.each([
  ['192.0.2.1', 'address 192.0.2.1'],
  ['::ffff:192.0.2.1', 'address 192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', 'address 2001:db8:1:2::/64'],
  [undefined, 'address unknown'],
])('counts the address %s as %s', (address, clientKey) => {
  expect(toCaller(anonymous, address).clientKey).toBe(clientKey);
});

it('counts a token as one client at any address', () => {
  expect(toCaller({ tokenId: 'a1', permissions: [] }, '192.0.2.1').clientKey).toBe('token a1');
});

it('has the permissions of its token, and all of them with `admin`', () => {
  const chatter = toCaller({ tokenId: 'a1', permissions: ['chat'] }, undefined);
  expect([chatter.hasPermission('chat'), chatter.hasPermission('plugins')]).toEqual([true, false]);
  const admin = toCaller({ tokenId: 'a1', permissions: ['admin'] }, undefined);
  expect(admin.hasPermission('plugins')).toBe(true);
});
