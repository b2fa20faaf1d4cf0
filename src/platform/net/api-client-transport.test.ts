import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { sendApiRequest, TransportError } from './api-client-transport.ts';

type Answer = Parameters<typeof startLoopbackServer>[0];

let server: Awaited<ReturnType<typeof startLoopbackServer>>;
afterEach(() => server.close());

const { signal } = new AbortController();

async function send(answer: Answer, options: Partial<Parameters<typeof sendApiRequest>[0]> = {}) {
  server = await startLoopbackServer(answer);
  return sendApiRequest({
    method: 'GET',
    url: new URL(server.url),
    headers: {},
    signal,
    ...options,
  });
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces).toString();
}

describe('sendApiRequest', () => {
  it('sends method, headers and body, and returns a response of any status', async () => {
    const answer = await send(
      ({ method, headers, body }, response) => {
        response.writeHead(404).end(`${method} ${String(headers['x-key'])} ${body}`);
      },
      { method: 'POST', headers: { 'x-key': 'k' }, body: 'text' },
    );
    expect([answer.status, await read(answer.chunks)]).toEqual([404, 'POST k text']);
  });

  it.each([
    ['a text', 'Grüße'],
    ['a file', { content: Readable.from([Buffer.from('Grü'), Buffer.from('ße')]), sizeBytes: 7 }],
  ])('sends %s with its length in bytes', async (_, body) => {
    const answer = await send((request, response) => response.end(request.body), {
      method: 'PUT',
      body,
    });
    expect(await read(answer.chunks)).toBe('Grüße');
    expect(server.requests[0]?.headers['content-length']).toBe('7');
    expect(server.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('uses a connection again', async () => {
    const sockets = new Set<Socket | null>();
    const first = await send((_, response) => {
      sockets.add(response.socket);
      response.end();
    });
    await read(first.chunks);
    const url = new URL(server.url);
    await read((await sendApiRequest({ method: 'GET', url, headers: {}, signal })).chunks);
    expect([server.requests.length, sockets.size]).toEqual([2, 1]);
  });

  it('does not follow a redirect, which would receive the token', async () => {
    const answer = await send((_, response) => {
      response.writeHead(302, { location: '/there' }).end();
    });
    expect(answer.status).toBe(302);
    expect(await read(answer.chunks)).toBe('');
    expect(server.requests).toHaveLength(1);
  });

  it('reports why a server cannot be reached', async () => {
    const { url } = await startLoopbackServer(() => {}).then(async (other) => {
      await other.close();
      return other;
    });
    const error: unknown = await send(() => {}, { url: new URL(url) }).catch((caught) => caught);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      name: 'TransportError',
      code: 'ECONNREFUSED',
      cause: { code: 'ECONNREFUSED' },
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('reports that a response was cut', async () => {
    const { chunks } = await send((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234', () => response.destroy());
    });
    await expect(read(chunks)).rejects.toBeInstanceOf(TransportError);
  });

  it('throws the reason of the signal, before and during the response', async () => {
    const reason = new Error('enough');
    const early = new AbortController();
    const silent = send(() => early.abort(reason), { signal: early.signal });
    await expect(silent).rejects.toBe(reason);
    await server.close();
    const late = new AbortController();
    const { chunks } = await send((_, response) => void response.write('some'), {
      signal: late.signal,
    });
    await expect(async () => {
      for await (const chunk of chunks) if (chunk.length > 0) late.abort(reason);
    }).rejects.toBe(reason);
  });

  it('closes the connection of a response that is not read completely', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const { chunks } = await send((_, response) => {
      gone = once(response, 'close');
      response.write('some');
    });
    for await (const chunk of chunks) if (chunk.length > 0) break;
    await expect(gone).resolves.toBeDefined();
  });
});

it('keeps the text of a thrown value that is not an error', () => {
  expect(new TransportError('odd')).toMatchObject({ message: 'odd', code: undefined });
});
