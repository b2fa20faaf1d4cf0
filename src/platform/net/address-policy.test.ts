import type { LookupAddress } from 'node:dns';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy, isPublicAddress } from './address-policy.ts';

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('takes %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback, all of it', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['metadata of clouds', '169.254.169.254'],
    ['shared, as providers use it', '100.64.0.1'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmark', '198.18.0.1'],
    ['benchmark', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a scope', 'fe80::1%eth0'],
    ['global with a scope', '2606:4700::1%eth0'],
    ['unique local', 'fd00::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmark', '2001:2::1'],
    ['Teredo', '2001::1'],
    ['6to4', '2002:808:808::1'],
    ['discard', '100::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped metadata', '::ffff:a9fe:a9fe'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64 of metadata', '64:ff9b::169.254.169.254'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['outside of the assigned ranges', '4000::1'],
    ['no address', 'localhost'],
    ['no address', '127.1'],
    ['no address', ''],
  ])('refuses %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('createAddressPolicy', () => {
  const policy = createAddressPolicy({
    type: 'public',
    allowedHosts: ['10.0.0.1', 'Mirror.lan:8080', '[::1]:9000'],
  });

  it.each([
    'http://10.0.0.1:1/',
    'http://mirror.lan:8080/',
    'http://[::1]:9000/',
    'https://example.com/',
    'https://8.8.8.8/',
    'https://local.example.com/',
    'https://localhost.com/',
  ])('lets %s pass', (address) => {
    expect(() => policy.assertUrl(new URL(address))).not.toThrow();
  });

  it.each([
    'http://10.0.0.2/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::1]:9001/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://169.254.169.254/latest/meta-data',
  ])('refuses %s', (address) => {
    expect(() => policy.assertUrl(new URL(address))).toThrow(/is not at a public address/);
  });

  it('compares the port if it is set', () => {
    expect(policy.isAllowed(new URL('http://mirror.lan:8080/'))).toBe(true);
    expect(policy.isAllowed(new URL('http://mirror.lan/'))).toBe(false);
    const secure = createAddressPolicy({ type: 'public', allowedHosts: ['a.lan:443'] });
    expect(secure.isAllowed(new URL('https://a.lan/'))).toBe(true);
    expect(secure.isAllowed(new URL('http://a.lan/'))).toBe(false);
  });

  const look = (found: readonly string[], all: boolean): Promise<unknown> => {
    const addresses: LookupAddress[] = found.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    const { lookup } = createAddressPolicy({
      type: 'public',
      allowedHosts: [],
      resolve: (_hostname, _options, callback) => callback(null, addresses),
    });
    return new Promise((resolve, reject) => {
      lookup('name', { all }, (error, address) =>
        error === null ? resolve(address) : reject(error),
      );
    });
  };

  it('takes 80 for the port of http', () => {
    const plain = createAddressPolicy({ type: 'public', allowedHosts: ['a.lan:80'] });
    expect(plain.isAllowed(new URL('http://a.lan/'))).toBe(true);
    expect(plain.isAllowed(new URL('https://a.lan/'))).toBe(false);
  });

  it('asks for all addresses of a name, whatever the socket asks for', () => {
    const queries: unknown[] = [];
    const { lookup } = createAddressPolicy({
      type: 'public',
      allowedHosts: [],
      resolve: (hostname, options) => void queries.push([hostname, options]),
    });
    lookup('name', { all: false, family: 6 }, () => {});
    expect(queries).toEqual([['name', { all: true, family: 6 }]]);
  });

  it('gives the error of a name that is not known, and no address with an error', () => {
    const unknown = new Error('ENOTFOUND');
    const answers: unknown[] = [];
    for (const [error, addresses] of [
      [unknown, undefined],
      [null, []],
      [null, [{ address: '10.0.0.1', family: 4 }]],
    ] as const) {
      const { lookup } = createAddressPolicy({
        type: 'public',
        allowedHosts: [],
        resolve: (_hostname, _options, callback) => callback(error, addresses as never),
      });
      lookup('name', { all: true }, (...answer) => void answers.push(answer));
    }
    const refused = expect.objectContaining({
      name: 'AddressRefused',
      message: 'name is not at a public address',
    }) as unknown;
    expect(answers).toEqual([
      [unknown, []],
      [refused, []],
      [refused, []],
    ]);
  });

  it.each([
    ['a private name', 300, null, [{ address: '10.0.0.1', family: 4 }]],
    ['a name that does not exist', 300, new Error('ENOTFOUND'), []],
    ['a public name whose lookup takes long', 3000, null, [{ address: '8.8.8.8', family: 4 }]],
  ] as const)('conceals %s: the same error at the same time', (_, afterMs, error, addresses) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers: unknown[] = [];
    const { lookup } = createAddressPolicy({
      type: 'public',
      allowedHosts: [],
      concealsNames: true,
      resolve: (_hostname, _options, callback) => {
        setTimeout(() => callback(error, [...addresses]), afterMs);
      },
    });
    lookup('name', { all: true }, (...answer) => void answers.push(answer));
    vi.advanceTimersByTime(1999);
    expect(answers).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(answers).toEqual([[expect.objectContaining({ name: 'AddressRefused' }), []]]);
    vi.advanceTimersByTime(10_000);
    expect(answers).toHaveLength(1);
  });

  it('passes a public name on at once, also where names are concealed', () => {
    const answers: unknown[] = [];
    const { lookup } = createAddressPolicy({
      type: 'public',
      allowedHosts: [],
      concealsNames: true,
      resolve: (_hostname, _options, callback) =>
        callback(null, [{ address: '8.8.8.8', family: 4 }]),
    });
    lookup('name', { all: false }, (...answer) => void answers.push(answer));
    expect(answers).toEqual([[null, '8.8.8.8', 4]]);
  });

  it('gives a name whose addresses are all public', async () => {
    await expect(look(['8.8.8.8', '2606:4700::1'], false)).resolves.toBe('8.8.8.8');
    await expect(look(['8.8.8.8'], true)).resolves.toStrictEqual([
      { address: '8.8.8.8', family: 4 },
    ]);
  });

  it.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [[]]])(
    'rejects a name at %s',
    async (found) => {
      await expect(look(found, true)).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    },
  );
});
