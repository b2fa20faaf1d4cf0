import { expect, it } from 'vitest';
import { createHttpAgent } from './http-agent.ts';
import { proxiesWithoutCredentials, readProxies } from './proxy-environment.ts';

it.each([
  ['proxy.corp:3128', 'http://proxy.corp:3128/'],
  ['ada:pass@proxy.corp:3128', 'http://ada:pass@proxy.corp:3128/'],
  ['http://proxy.corp', 'http://proxy.corp/'],
  ['https://proxy.corp:8443', 'https://proxy.corp:8443/'],
  ['socks5h://127.0.0.1:1080', 'socks5://127.0.0.1:1080'],
  ['SOCKS5://127.0.0.1:1080', 'socks5://127.0.0.1:1080'],
  ['socks://127.0.0.1:1080', 'socks5://127.0.0.1:1080'],
  ['  ', ''],
])('reads the proxy %j as %j', async (text, proxy) => {
  expect(readProxies({ HTTPS_PROXY: text })).toMatchObject({ httpsProxy: proxy, problems: [] });
  const agent = createHttpAgent({
    environment: { HTTPS_PROXY: text },
    idleTimeoutMs: 1000,
    policy: undefined,
  });
  await agent.close();
});

it.each([
  'socks4://proxy.corp',
  'http://',
  'socks5://',
  'ftp://ada:secret@proxy',
  'http://a b',
  'a:b:c',
])('names the variable of %j, without its value', async (text) => {
  const { problems, httpsProxy } = readProxies({ https_proxy: text });
  expect(problems).toEqual([
    { variable: 'https_proxy', reason: expect.stringContaining('HTTP or SOCKS 5') as string },
  ]);
  expect(JSON.stringify(problems)).not.toContain('secret');
  // Requests fail instead of avoiding the proxy.
  expect(httpsProxy).toBe('http://unusable-proxy.invalid:9');
  const environment = { https_proxy: text };
  await createHttpAgent({ environment, idleTimeoutMs: 1000, policy: undefined }).close();
});

it('reads no proxies from an environment without any', () => {
  expect(readProxies({})).toEqual({ httpProxy: '', httpsProxy: '', noProxy: '', problems: [] });
});

it('prefers lower-case names', () => {
  const environment = { http_proxy: 'a', HTTP_PROXY: 'b', NO_PROXY: 'c' };
  expect(readProxies(environment)).toMatchObject({ httpProxy: 'http://a/', noProxy: 'c' });
});

it('strips users and passwords for child processes', () => {
  const environment = {
    HTTPS_PROXY: 'http://ada:p@ss@proxy.corp:3128',
    http_proxy: 'ada:pass@proxy.corp',
    https_proxy: 'http://ada:p/@ss@proxy.corp:3128',
    ALL_PROXY: 'socks5://ada:pass@proxy.corp',
    no_proxy: 'localhost,.corp',
    HOME: '/home/ada',
  };
  expect(proxiesWithoutCredentials(environment)).toEqual({
    HTTPS_PROXY: 'http://proxy.corp:3128',
    http_proxy: 'proxy.corp',
    https_proxy: 'http://proxy.corp:3128',
    ALL_PROXY: 'socks5://proxy.corp',
    no_proxy: 'localhost,.corp',
  });
});
