import { describe, expect, it } from 'vitest';
import { testContext } from '../../test/setup/test-context.ts';
import type { HearthError } from '../kernel/errors/errors.ts';
import { ephemeralSource, type EphemeralSourceOptions } from './ephemeral-source.ts';

const field = 'integrations[2]';
const options: EphemeralSourceOptions = {
  allowedHosts: [],
  limits: { connectTimeoutMs: 5000, callTimeoutMs: 5000 },
  bounds: { maxMessageBytes: 10_000, maxUnaskedBytes: 10_000, maxMessageValues: 1000 },
};

function source(
  serverUrl: string,
  allowedHosts: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
) {
  const integration = { type: 'ephemeralMcp', serverLabel: 'there', serverUrl, headers } as const;
  return ephemeralSource(integration, field, { ...options, allowedHosts });
}

describe('the URL', () => {
  it.each([
    '',
    'example.com',
    '//example.com/mcp',
    'file:///etc/passwd',
    'ftp://example.com/',
    'ws://example.com/',
    'data:text/plain,x',
    'http://',
    'http://[::1',
    'http://exa mple.com/',
    'http://example.com:99999/',
  ])('refuses %j', (url) => {
    expect(() => source(url)).toThrow(
      expect.objectContaining({ code: 'invalid_value', field: `${field}.serverUrl` }),
    );
  });

  it.each(['https://user@example.com/', 'https://:secret@example.com/', 'https://a:b@example.com'])(
    'refuses credentials in %j, and does not repeat them',
    (url) => {
      expect(() => source(url)).toThrow(
        expect.objectContaining({
          code: 'invalid_value',
          field: `${field}.serverUrl`,
          message:
            'The URL of a tool server must not contain a user and password; send them in headers.',
        }),
      );
    },
  );
});

describe('the address', () => {
  it.each([
    'http://127.0.0.1/mcp',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://172.16.0.1/',
    'https://192.168.1.1:8443/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'http://LOCALHOST:80/',
    'http://localhost./',
    'http://printer.local/',
    'http://metadata.google.internal/',
  ])('rejects %s without resolving names', (url) => {
    expect(() => source(url)).toThrow(
      expect.objectContaining({
        code: 'forbidden',
        field: `${field}.serverUrl`,
        message: expect.stringMatching(
          /^The tool server "there" may not be reached: .* is not at a public address\. The setting mcp\.allowedHosts/u,
        ),
      }),
    );
  });

  it.each(['https://example.com/mcp', 'http://93.184.215.14/', 'http://[2606:2800::1]:8080/'])(
    'accepts %s',
    (url) => {
      expect(source(url)).toMatchObject({
        label: 'there',
        provider: { type: 'ephemeralMcp', serverLabel: 'there' },
      });
    },
  );

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:4000/'],
    ['127.0.0.1:4000', 'http://127.0.0.1:4000/'],
    ['127.0.0.1:80', 'http://127.0.0.1/'],
    ['127.0.0.1:443', 'https://127.0.0.1/'],
    ['LocalHost', 'http://localhost:1/'],
    ['[::1]', 'http://[::1]:9/'],
  ])('with %s allowed, accepts %s', (allowed, url) => {
    expect(source(url, [allowed]).label).toBe('there');
  });

  it.each([
    ['127.0.0.1:4000', 'http://127.0.0.1:4001/'],
    ['127.0.0.1:4000', 'http://127.0.0.1/'],
    ['127.0.0.1:443', 'http://127.0.0.1/'],
    ['local', 'http://evil.local/'],
    ['127.0.0.1', 'http://127.0.0.1.nip.localhost/'],
  ])('with %s allowed, refuses %s', (allowed, url) => {
    expect(() => source(url, [allowed])).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it('answers the same for a private name and for one that does not exist', async () => {
    const failures: unknown[] = [];
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    for (const error of [null, unknown]) {
      const tested = ephemeralSource(
        { type: 'ephemeralMcp', serverLabel: 'there', serverUrl: 'http://intranet/' },
        field,
        {
          ...options,
          resolve: (_name, _options, answer) =>
            answer(error, error === null ? [{ address: '10.1.2.3', family: 4 }] : []),
        },
      );
      const opening: Promise<unknown> = tested.open(testContext());
      const failure = await opening.catch((reason: unknown) => reason);
      const { code, status, field: path, message } = failure as HearthError;
      failures.push({ code, status, path, message });
    }
    expect(failures[0]).toEqual(failures[1]);
    expect(failures[0]).toMatchObject({ code: 'forbidden', status: 403 });
  });

  it('rejects a name that resolves to a private address on connecting', async () => {
    const rebinding = ephemeralSource(
      { type: 'ephemeralMcp', serverLabel: 'there', serverUrl: 'http://rebinding.example/' },
      field,
      {
        ...options,
        resolve: (_name, _options, callback) =>
          callback(null, [{ address: '10.1.2.3', family: 4 }]),
      },
    );
    await expect(rebinding.open(testContext())).rejects.toMatchObject({
      code: 'forbidden',
      field: `${field}.serverUrl`,
      // The resolved address would reveal facts about the server's network.
      message: expect.not.stringContaining('10.1.2.3'),
    });
  });
});

describe('headers', () => {
  it.each<[string, string]>([
    ['a', 'b\r\nc: d'],
    ['a\r\nb', 'c'],
    ['a b', 'c'],
    ['', 'c'],
    ['a', 'snow ☃'],
    ['a', '\u0000'],
  ])('refuses %j: %j', (name, value) => {
    expect(() => source('https://example.com/', [], { [name]: value })).toThrow(
      expect.objectContaining({ code: 'invalid_value', field: `${field}.headers` }),
    );
  });

  it.each(['Host', 'content-length', 'Connection'])('refuses %s by name', (name) => {
    expect(() => source('https://example.com/', [], { [name]: 'x' })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: `${field}.headers`,
        message: expect.stringContaining(`The header "${name}" can't be sent`),
      }),
    );
  });

  it('accepts valid HTTP headers', () => {
    const headers = { Authorization: 'Bearer abc', 'X-Empty': '' };
    expect(source('https://example.com/', [], headers).label).toBe('there');
  });
});
