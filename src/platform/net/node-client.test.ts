import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { NodeClient } from './node-client.ts';
import { ResponseReader } from './response-reader.ts';

const cleanups: (() => unknown)[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function createClient(options: Partial<ConstructorParameters<typeof NodeClient>[0]> = {}) {
  const client = new NodeClient({ connectTimeoutMs: 1000, ...options });
  cleanups.push(() => client.close());
  return client;
}

async function serve(answer: (response: ServerResponse) => void) {
  const server = await startLoopbackServer((_, response) => answer(response));
  cleanups.push(() => server.close());
  return { host: '127.0.0.1', port: new URL(server.url).port };
}

it('fails if no connection is opened in time', async () => {
  const reader = new ResponseReader({ signal });
  const client = createClient({ connectTimeoutMs: 100, keepAliveMs: 10 });
  client.send({ host: 'never.test', lookup: () => {} }, reader);
  await expect(reader.started()).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
});

it('does not limit the time of a response by that of idle connections', async () => {
  const responses: ServerResponse[] = [];
  const address = await serve((response) => void responses.push(response));
  const reader = new ResponseReader({ signal });
  createClient({ keepAliveMs: 10 }).send(address, reader);
  const later = new ResponseReader({ signal });
  const neverConnected = { host: 'never.test', lookup: () => {} };
  createClient({ connectTimeoutMs: 100 }).send(neverConnected, later);
  await expect(later.started()).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
  responses[0]?.end('one');
  await reader.started();
  expect(String(await reader.read())).toBe('one');
});

it('fails after it was closed', async () => {
  const client = createClient();
  const reader = new ResponseReader({ signal });
  client.close();
  client.send(await serve((response) => response.end()), reader);
  await expect(reader.started()).rejects.toThrow('The client was closed.');
});

it('fails requests in flight and those that wait for a socket when it is closed', async () => {
  const address = await serve(() => {});
  const client = createClient({ maxConnections: 1 });
  const readers = [0, 1].map(() => new ResponseReader({ signal }));
  for (const reader of readers) client.send(address, reader);
  client.close();
  const messages = ['socket hang up', 'The client was closed.'];
  for (const [index, reader] of readers.entries()) {
    await expect(reader.started()).rejects.toThrow(messages[index]);
  }
});

it('keeps a complete response although the server cuts the connection', async () => {
  const address = await serve((response) => response.end('one', () => response.destroy()));
  const reader = new ResponseReader({ signal });
  createClient().send(address, reader);
  await reader.started();
  expect(String(await reader.read())).toBe('one');
  expect(await reader.read()).toBeUndefined();
});
