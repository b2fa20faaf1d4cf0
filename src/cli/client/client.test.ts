import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  sendEvents,
  sendJson,
  startLoopbackServer,
} from '../../../test/setup/net/loopback-server.ts';
import { projectFolder } from '../../../test/setup/project-folder.ts';
import { collect } from '../../../test/setup/collect.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import { listResponses } from '../../api/v1/responses/stored-response-schema.ts';
import { unloadModel } from '../../api/v1/models/model-schema.ts';
import { createClient, fillPath } from './client.ts';

const { signal } = new AbortController();
type Answer = Parameters<typeof startLoopbackServer>[0];
let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(answer: Answer, token?: string) {
  server = await startLoopbackServer(answer);
  return createClient({ baseUrl: server.url, token });
}

describe('a server of the other protocol', () => {
  it('is named by an HTTPS client of an HTTP server', async () => {
    server = await startLoopbackServer((_, response) => sendJson(response, {}));
    const baseUrl = server.url.replace('http:', 'https:');
    const { host } = new URL(baseUrl);
    const client = createClient({ baseUrl });
    await expect(client.call(unloadModel, { body: { instance_id: 'a' } }, signal)).rejects.toThrow(
      `The server at ${host} speaks HTTP, not HTTPS. Use http://${host}.`,
    );
  });

  it('is named by an HTTP client of an HTTPS server', async () => {
    const read = (name: string) => readFile(join(projectFolder, 'test/fixtures/tls', name));
    const secure = createTlsServer(
      { cert: await read('first.cert.pem'), key: await read('first.key.pem') },
      (_, response) => response.end('{}'),
    ).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const host = `127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const client = createClient({ baseUrl: `http://${host}`, token: 'secret' });
    await expect(client.call(unloadModel, { body: { instance_id: 'a' } }, signal)).rejects.toThrow(
      `The server at ${host} speaks HTTPS, not HTTP. Use https://${host}.`,
    );
    secure.close();
  });
});

describe('call', () => {
  it('sends the body and the token, and returns the validated result', async () => {
    const client = await serve((_, response) => sendJson(response, { instance_id: 'a' }), 'secret');
    const result = await client.call(unloadModel, { body: { instance_id: 'a' } }, signal);
    expect(result).toEqual({ instance_id: 'a' });
    expect(server?.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/models/unload',
      body: '{"instance_id":"a"}',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
  });

  it('sends a query', async () => {
    const client = await serve((_, response) =>
      sendJson(response, { responses: [], next_cursor: null }),
    );
    await client.call(listResponses, { query: { limit: 5 } }, signal);
    expect(server?.requests[0]?.path).toBe('/api/v1/responses?limit=5');
  });

  it.each([
    [
      'v1',
      { error: { type: 'instance_not_found', code: 'instance_not_found', message: 'No "a".' } },
      { type: 'instance_not_found', code: 'instance_not_found', status: 404, message: 'No "a".' },
    ],
    [
      'v0',
      { error: { type: 'invalid_request', message: 'Bad.', param: 'x', code: null } },
      { type: 'invalid_request', code: undefined, param: 'x', status: 404 },
    ],
    ['foreign', '<html>', { type: 'unexpected_response', status: 404 }],
  ])('throws an error of the %s form', async (_, body, expected) => {
    const client = await serve((_request, response) => sendJson(response, body, 404));
    const call = client.call(unloadModel, { body: { instance_id: 'a' } }, signal);
    await expect(call).rejects.toMatchObject({ name: 'ApiError', ...expected });
  });

  it('rejects a response that does not match the schema', async () => {
    const client = await serve((_, response) => sendJson(response, { id: 'a' }));
    const call = client.call(unloadModel, { body: { instance_id: 'a' } }, signal);
    await expect(call).rejects.toMatchObject({ type: 'unexpected_response' });
  });

  it('explains how to start a server if none is running', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo;
    unused.close();
    await once(unused, 'close');
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const call = client.call(unloadModel, { body: { instance_id: 'a' } }, signal);
    await expect(call).rejects.toThrow(/`hearth serve`.*`hearth server start`/);
  });

  it('throws the abort reason of its signal', async () => {
    const stopping = new AbortController();
    const client = await serve(() => stopping.abort(new Error('stopped here')));
    const call = client.call(unloadModel, { body: { instance_id: 'a' } }, stopping.signal);
    await expect(call).rejects.toThrow('stopped here');
  });
});

describe('stream', () => {
  const request = { body: { model: 'a', input: 'b', stream: true } };

  it('yields the events however the bytes are split', async () => {
    const text = ': ping\n\ndata: {"type":"message.delta","content":"Grüße"}\n\n';
    const client = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
      response.end();
    });
    const events = await collect(client.stream(createChat, request, signal));
    expect(events).toEqual([{ type: 'message.delta', content: 'Grüße' }]);
  });

  it('throws an error that occurs before the stream', async () => {
    const error = { type: 'model_not_found', message: 'No model "a".' };
    const client = await serve((_, response) => sendJson(response, { error }, 404));
    const events = client.stream(createChat, request, signal);
    await expect(events.next()).rejects.toMatchObject({ name: 'ApiError', status: 404 });
  });

  it('aborts the request when the loop ends early', async () => {
    let closed: Promise<unknown> | undefined;
    const client = await serve((_, response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"message.start"}\n\n');
    });
    for await (const event of client.stream(createChat, request, signal)) {
      expect(event).toEqual({ type: 'message.start' });
      break;
    }
    await closed;
  });

  it('reports a lost connection', async () => {
    const client = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"message.start"}\n\n', () => response.destroy());
    });
    const events = collect(client.stream(createChat, request, signal));
    await expect(events).rejects.toMatchObject({ name: 'ServerUnreachableError' });
  });

  it('rejects an event that does not match the schema', async () => {
    const client = await serve((_, response) => sendEvents(response, [{ type: 'other' }]));
    const events = collect(client.stream(createChat, request, signal));
    await expect(events).rejects.toMatchObject({ type: 'unexpected_response' });
  });
});

describe('fillPath', () => {
  it('encodes parameters and keeps their slashes', () => {
    expect(fillPath('/api/v1/models/{model...}', { model: 'a/b c@q4?' })).toBe(
      '/api/v1/models/a/b%20c%40q4%3F',
    );
  });
});
