import { describe, expect, it } from 'vitest';
import {
  createHostGuard,
  createOriginGuard,
  preflightResponse,
  shareWithOrigin,
} from './cross-site.ts';

const checkHost = createHostGuard({ boundHost: '127.0.0.1', allowedHosts: [] });

it('says which host it does not serve', () => {
  expect(checkHost('attacker.example:80')).toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(
      /^The host "attacker\.example:80" is not served here\. Use .*`server\.allowedHosts`\.$/,
    ) as string,
  });
});

it.each(['a[::1]', '[::1]a', ':[:1]', '[::]1', 'a[127.0.0.1]', '[127.0.0.1]a'])(
  'takes %s for no address of loopback',
  (authority) => {
    expect(checkHost(authority)).toMatchObject({ code: 'forbidden' });
  },
);

// covers server-18
it('serves the host of the public URL', () => {
  const check = createHostGuard({
    boundHost: '127.0.0.1',
    allowedHosts: [],
    publicUrl: 'https://Hearth.example:8443/',
  });
  expect(check('hearth.example:8443')).toBeUndefined();
  expect(check('hearth.example:80')).toMatchObject({ code: 'forbidden' });
});

describe('an origin', () => {
  const classify = createOriginGuard(['https://app.example']);

  it('is the same where there is none, and for the own pages of the server', () => {
    expect(classify(undefined, 'http://localhost:1234')).toEqual({ kind: 'same' });
    expect(classify('http://localhost:1234', 'http://localhost:1234')).toEqual({ kind: 'same' });
  });

  // covers server-18
  it('is shared where it is listed, and keeps the spelling of the client', () => {
    const origin = 'https://App.example';
    expect(classify(origin, 'http://localhost')).toEqual({ kind: 'shared', origin });
  });

  it('is foreign where it is not listed, and the error names it', () => {
    expect(classify('https://other.example', 'http://localhost')).toMatchObject({
      kind: 'foreign',
      error: {
        code: 'forbidden',
        message:
          'Pages of the origin "https://other.example" may not call this server. Add it to `server.cors` to allow it.',
      },
    });
  });
});

describe('an origin of a server with HTTPS', () => {
  const classify = createOriginGuard([]);

  it('is the same only with HTTPS', () => {
    expect(classify('https://localhost:1234', 'https://localhost:1234').kind).toBe('same');
    expect(classify('http://localhost:1234', 'https://localhost:1234').kind).toBe('foreign');
  });

  it('needs server.publicUrl where a proxy has the certificate', () => {
    const origin = 'https://hearth.example';
    expect(classify(origin, 'http://hearth.example')).toMatchObject({
      kind: 'foreign',
      error: { message: expect.stringContaining('set `server.publicUrl` to it') as string },
    });
    const behindProxy = createOriginGuard([], 'https://hearth.example/');
    expect(behindProxy(origin, 'http://127.0.0.1:1234').kind).toBe('same');
    expect(behindProxy(undefined, 'http://127.0.0.1:1234').kind).toBe('same');
    expect(behindProxy('http://hearth.example', 'http://127.0.0.1:1234').kind).toBe('foreign');
  });
});

describe('a preflight', () => {
  it.each([
    ['authorization', 'authorization'],
    ['a, b ,c-d', 'a, b ,c-d'],
    [undefined, 'Authorization, Content-Type'],
    ['', 'Authorization, Content-Type'],
    ['!, a', 'Authorization, Content-Type'],
    ['a, !', 'Authorization, Content-Type'],
  ])('that asks for the headers %j may send %j', (requested, allowed) => {
    const { status, headers } = preflightResponse(requested);
    expect({ status, ...Object.fromEntries(headers) }).toEqual({
      status: 204,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': allowed,
      'access-control-max-age': '600',
    });
  });
});

it('lets a page read the headers that clients need, beside what varies already', () => {
  const headers = new Headers({ Vary: 'Accept' });
  shareWithOrigin(headers, 'https://app.example');
  expect(Object.fromEntries(headers)).toEqual({
    'access-control-allow-origin': 'https://app.example',
    'access-control-expose-headers': 'X-Request-Id, Retry-After',
    vary: 'Accept, Origin',
  });
});
