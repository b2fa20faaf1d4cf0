import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { createImageFetcher } from './image-fetcher.ts';

const field = 'messages[0].content[1]';
const never = new AbortController().signal;

type Answer = Parameters<typeof startLoopbackServer>[0];

/** A server on this machine, and a function that reads from it. */
async function serve(answer: Answer, options: { timeoutMs?: number; isListed?: boolean } = {}) {
  const server = await startLoopbackServer(answer);
  onTestFinished(() => server.close());
  const { timeoutMs = 10_000, isListed = true } = options;
  const hosts = isListed ? [new URL(server.url).host] : ['*'];
  const fetchImage = createImageFetcher({ hosts: () => hosts, timeoutMs });
  const read = (path: string, signal = never) =>
    fetchImage(server.url + path, { field, maxBytes: 100, signal });
  return { server, read, fetchImage };
}

const invalid = (message: string) => ({
  code: 'invalid_image',
  field,
  message: expect.stringContaining(message),
});

describe('images by URL', () => {
  it('are read from listed hosts, without credentials and through redirects', async () => {
    const { server, read } = await serve(({ path }, response) => {
      if (path === '/a.png') response.writeHead(302, { location: '/b.png' }).end();
      else response.end('image');
    });
    expect((await read('/a.png')).toString()).toBe('image');
    expect(server.requests.map(({ path }) => path)).toEqual(['/a.png', '/b.png']);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('are refused where the setting is off', async () => {
    const fetchImage = createImageFetcher({ hosts: () => [] });
    await expect(
      fetchImage('https://example.com/a.png', { field, maxBytes: 100, signal: never }),
    ).rejects.toMatchObject(invalid('The setting images.urlHosts allows http and https URLs.'));
  });

  it('are quoted with their first 32 characters where the setting is off', async () => {
    const fetchImage = createImageFetcher({ hosts: () => [] });
    const url = `https://example.com/${'a'.repeat(12)}`;
    await expect(
      fetchImage(`${url}secret`, { field, maxBytes: 100, signal: never }),
    ).rejects.toMatchObject(invalid(`this one starts with "${url}".`));
  });

  // covers server-26
  it('are refused at private addresses, also after a redirect', async () => {
    const { server, read } = await serve(() => {}, { isListed: false });
    await expect(read('/a.png')).rejects.toMatchObject(invalid('images.urlHosts'));
    expect(server.requests).toEqual([]);
    const redirecting = await serve((_, response) =>
      response.writeHead(302, { location: `${server.url}/a.png` }).end(),
    );
    await expect(redirecting.read('/')).rejects.toMatchObject(
      invalid('is not at a public address'),
    );
    expect(server.requests).toEqual([]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://localhost:1/',
    'http://192.168.1.1/',
  ])('are refused at %s', async (url) => {
    const fetchImage = createImageFetcher({ hosts: () => ['*'] });
    await expect(fetchImage(url, { field, maxBytes: 100, signal: never })).rejects.toMatchObject(
      invalid('is not at a public address'),
    );
  });

  it('are read from listed hosts alone without *, also after a redirect', async () => {
    const { fetchImage, read } = await serve((_, response) =>
      response.writeHead(302, { location: 'http://192.0.2.1/a.png' }).end(),
    );
    const elsewhere = fetchImage('http://8.8.8.8/a.png', { field, maxBytes: 100, signal: never });
    await expect(elsewhere).rejects.toMatchObject(invalid('images.urlHosts'));
    await expect(read('/')).rejects.toMatchObject(invalid('images.urlHosts'));
  });

  it('may have a URL of 8192 characters', async () => {
    const fetchImage = createImageFetcher({ hosts: () => ['*'] });
    const url = 'http://192.168.1.1/'.padEnd(8192, 'a');
    await expect(fetchImage(url, { field, maxBytes: 100, signal: never })).rejects.toMatchObject(
      invalid('is not at a public address'),
    );
  });

  it.each([
    'http://user:secret@192.168.1.1/',
    'http://secret@192.168.1.1/',
    'http://:secret@192.168.1.1/',
    'http://',
    'http://192.168.1.1/'.padEnd(8193, 'a'),
  ])('need a plain URL, unlike %.40s', async (url) => {
    const fetchImage = createImageFetcher({ hosts: () => ['*'] });
    const reading = fetchImage(url, { field, maxBytes: 100, signal: never });
    await expect(reading).rejects.toMatchObject(invalid('The URL of an image must have a host'));
    await expect(reading).rejects.not.toMatchObject({
      message: expect.stringContaining('secret'),
    });
  });

  it('are bounded in bytes, redirects and time', async () => {
    const { read, server } = await serve(
      ({ path }, response) => {
        if (path === '/large') response.end('x'.repeat(101));
        else if (path === '/missing') response.writeHead(404).end('internal page');
        else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
      },
      { timeoutMs: 300 },
    );
    const { host } = new URL(server.url);
    await expect(read('/large')).rejects.toMatchObject(invalid('larger than 100 bytes'));
    await expect(read('/loop')).rejects.toMatchObject(invalid('redirect'));
    await expect(read('/missing')).rejects.toMatchObject({
      ...invalid(''),
      message: `The image at ${host} can't be read: ${host} answered 404.`,
    });
    await expect(read('/silent')).rejects.toMatchObject({
      ...invalid('0.3 s'),
      cause: { reason: 'timeout' },
    });
  });

  it('end with the request', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const { read } = await serve(() => controller.abort(reason));
    await expect(read('/silent', controller.signal)).rejects.toBe(reason);
  });

  it('leave no connection open', async () => {
    let socket: Socket | null = null;
    const { read } = await serve((_, response) => {
      ({ socket } = response);
      response.end('image');
    });
    expect(String(await read('/a.png'))).toBe('image');
    await expect.poll(() => socket?.destroyed).toBe(true);
  });
});
