import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHubBench } from '../../../test/setup/hub/fake-hub-bench.ts';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';

const bench = createHubBench();
const { signal } = new AbortController();
const name = { owner: 'owner', name: 'Model-GGUF' };

afterEach(() => bench.close());

describe('a hub with invalid responses', () => {
  const oid = '0'.repeat(40);
  const lfs = { oid: '0'.repeat(64), size: 2, pointerSize: 130 };
  it.each([
    ['a negative size', { type: 'file', path: 'a', size: -1, oid }],
    ['a fractional size', { type: 'file', path: 'a', size: 0.5, oid }],
    ['too large a size', { type: 'file', path: 'a', size: 1e300, oid }],
    ['two sizes', { type: 'file', path: 'a', size: 1, oid, lfs }],
    ['no checksum', { type: 'file', path: 'a', size: 1 }],
    ['a wrong checksum', { type: 'file', path: 'a', size: 2, oid, lfs: { ...lfs, oid: 'x' } }],
    ['no path', { type: 'file', path: '', size: 1, oid }],
    ['a duplicate path', { type: 'file', path: 'config.json', size: 1, oid }],
    ['null', null],
    ['a text', 'entry'],
  ])('with %s', async (_, entry) => {
    const fake = await bench.start();
    fake.repository('owner/Model-GGUF').changeListing = (entries) => [...entries, entry];
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'hub_unreachable',
    });
  });

  it.each([
    ['HTML', '<html>login</html>', 'text/html'],
    ['broken JSON', '{"id":', 'application/json'],
    ['another JSON', '{"id":"owner/Model-GGUF"}', 'application/json'],
    ['null', 'null', 'application/json'],
    ['too much', Buffer.alloc(9 * 1024 * 1024, ' '), 'application/json'],
  ])('is rejected: %s', async (_, body, contentType) => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'body', body, contentType });
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining(new URL(fake.url).host),
    });
    await expect(bench.open(fake.url).hub.search('words', 5, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
    });
  });

  it('is rejected after too many pages', async () => {
    const server = await startLoopbackServer(({ path }, response) => {
      const sha = '0'.repeat(40);
      const info = { _id: '1', id: 'owner/Model-GGUF', sha, gated: false, tags: [] };
      const isTree = path.includes('/tree/');
      response.setHeader('link', `<${server.url}${path}>; rel="next"`);
      response.end(JSON.stringify(isTree ? [] : info));
    });
    onTestFinished(() => server.close());
    await expect(
      bench.open(server.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining('more than 50 pages'),
    });
    expect(server.requests.length).toBeLessThan(60);
  });
});

describe('a hub with links to other hosts', () => {
  // covers server-26
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.2:1/',
    'http://localhost:1/',
    'loop',
    'file:///etc/passwd',
  ])('to %s', async (location) => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'redirect', location });
    await expect(
      bench.open(fake.url).hub.repository(name, undefined, signal),
    ).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining('Check hub.endpoint.'),
    });
  });

  it('gets the next page from the hub itself, even if the link names another host', async () => {
    const stranger = await startLoopbackServer((_, response) => response.end('[]'));
    onTestFinished(() => stranger.close());
    const sha = '0'.repeat(40);
    const { host } = new URL(stranger.url);
    const server = await startLoopbackServer(({ path }, response) => {
      if (path.includes('/revision/')) {
        response.end(
          JSON.stringify({ _id: '1', id: 'owner/Model-GGUF', sha, gated: false, tags: [] }),
        );
        return;
      }
      const target = path.includes('first') ? `https://cdn.example//${host}/second` : undefined;
      if (path.includes('/tree/')) {
        response.setHeader('link', `<${stranger.url}/first>; rel="next"`);
      } else if (target !== undefined) {
        response.setHeader('link', `<${target}>; rel="next"`);
      }
      response.end('[]');
    });
    onTestFinished(() => server.close());
    const { hub } = bench.open(server.url, 'hf_secret');
    await hub.repository(name, undefined, signal);
    expect(server.requests.map(({ path }) => path).slice(2)).toStrictEqual([
      '/first',
      `//${host}/second`,
    ]);
    expect(stranger.requests).toStrictEqual([]);
  });

  // covers server-26
  it('does not get the token on other hosts', async () => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'redirect', location: `${fake.cdnUrl}/cdn/x/y/z` });
    const { hub } = bench.open(fake.url, 'hf_secret', [new URL(fake.cdnUrl).host]);
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
    });
    const [atHub, atCdn] = fake.requests;
    expect(atHub).toMatchObject({ server: 'hub', authorization: 'Bearer hf_secret' });
    expect(atCdn).toMatchObject({ server: 'cdn', authorization: undefined });
  });
});

describe('a failing hub', () => {
  it.each([
    { kind: 'status', status: 429 },
    { kind: 'status', status: 503, retryAfter: '0' },
    { kind: 'reset', afterBytes: 0 },
  ] as const)('is retried: %j', async (fault) => {
    const fake = await bench.start();
    fake.faults.add({ ...fault, times: 2 });
    const { hub, waits } = bench.open(fake.url);
    await expect(hub.repository(name, undefined, signal)).resolves.toMatchObject(name);
    expect(waits).toHaveLength(2);
  });

  it('fails after a few attempts, with the time that the hub requested', async () => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'status', status: 429, retryAfter: '7' });
    const { hub, waits } = bench.open(fake.url);
    await expect(hub.search('words', 5, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
      retryAfterSeconds: 7,
      message: expect.stringContaining('Try again later.'),
    });
    expect(waits).toStrictEqual([7000, 7000]);
  });

  it('is not waited for too long', async () => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'status', status: 429, retryAfter: '3600' });
    const { hub, waits } = bench.open(fake.url);
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      retryAfterSeconds: 60,
    });
    expect(waits).toStrictEqual([]);
  });

  it('is unreachable', async () => {
    const fake = await bench.start();
    const { hub } = bench.open(fake.url);
    await fake.close();
    await expect(hub.repository(name, undefined, signal)).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(/127\.0\.0\.1:\d+.*ECONNREFUSED.*Check the network/),
    });
  });

  it('is not waited for after an abort', async () => {
    const fake = await bench.start();
    fake.faults.add({ kind: 'silence' });
    const controller = new AbortController();
    const reason = new Error('enough');
    const pending = bench
      .open(fake.url)
      .hub.repository(name, undefined, controller.signal)
      .catch((error: unknown) => error);
    await expect.poll(() => fake.requests.length).toBe(1);
    controller.abort(reason);
    expect(await pending).toBe(reason);
  });
});
