import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { networkUrl } from './network-url.ts';

const address = (text: string, internal = false): NetworkInterfaceInfo => ({
  address: text,
  family: 'IPv4',
  internal,
  netmask: '255.255.255.0',
  mac: '00:00:00:00:00:00',
  cidr: `${text}/24`,
});
const loopback = { lo: [address('127.0.0.1', true)] };
const urlOf = (
  host: string,
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[]>> = {},
  publicUrl?: string,
) =>
  networkUrl({
    settings: { 'server.host': host, 'server.publicUrl': publicUrl },
    url: 'https://127.0.0.1:1234',
    interfaces: { ...loopback, ...interfaces },
  });

it('is the address that the settings name', () => {
  expect(urlOf('192.168.1.5')).toBe('https://192.168.1.5:1234');
  expect(urlOf('fd00::5')).toBe('https://[fd00::5]:1234');
  expect(urlOf('127.0.0.1', {}, 'https://hearth.example.com/hearth/')).toBe(
    'https://hearth.example.com/hearth',
  );
});

it('is the address of the local network if the server listens on all', () => {
  const interfaces = {
    docker0: [address('172.17.0.1')],
    wlan1: [address('169.254.7.7')],
    ppp0: [address('203.0.113.9')],
    eth0: [address('192.168.1.5')],
  };
  expect(urlOf('0.0.0.0', interfaces)).toBe('https://192.168.1.5:1234');
  expect(urlOf('::', { docker0: [address('172.17.0.1')], ppp0: [address('203.0.113.9')] })).toBe(
    'https://203.0.113.9:1234',
  );
});

it.each(['127.0.0.1', '127.0.0.5', '::1', 'localhost'])('names the settings for %s', (host) => {
  expect(() => urlOf(host, { eth0: [address('192.168.1.5')] })).toThrow('server.host 0.0.0.0');
  expect(() => urlOf(host, {}, 'http://localhost/hearth')).toThrow('server.host 0.0.0.0');
});

it('tells that the machine has no network', () => {
  expect(() => urlOf('0.0.0.0', { wlan0: [address('169.254.1.1')] })).toThrow('no address');
});
