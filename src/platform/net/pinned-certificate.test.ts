import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from '../../../test/setup/project-folder.ts';
import { sendApiRequest, TransportError } from './api-client-transport.ts';

const fixture = (name: string) => readFile(join(projectFolder, 'test/fixtures/tls', name), 'utf8');

const firstFingerprint = async () =>
  new X509Certificate(await fixture('first.cert.pem')).fingerprint256;

let server: Server;
let received: (string | undefined)[];

beforeEach(async () => {
  received = [];
  const [cert, key] = [await fixture('first.cert.pem'), await fixture('first.key.pem')];
  server = createServer({ cert, key }, ({ headers }, response) => {
    received.push(headers.authorization);
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = (certificate: string | undefined, target: TcpServer = server) =>
  sendApiRequest({
    method: 'GET',
    url: new URL(`https://127.0.0.1:${(target.address() as AddressInfo).port}/`),
    headers: { authorization: 'Bearer secret' },
    signal: new AbortController().signal,
    certificate,
  });

it('accepts the expected certificate, whatever its names and its authority', async () => {
  const { status, chunks } = await send(await firstFingerprint());
  for await (const _ of chunks);
  expect(status).toBe(200);
  expect(received).toEqual(['Bearer secret']);
});

it('uses the connection again', async () => {
  let connectionCount = 0;
  server.on('secureConnection', () => (connectionCount += 1));
  for (let count = 0; count < 2; count += 1) {
    const { chunks } = await send(await firstFingerprint());
    for await (const _ of chunks);
  }
  expect([received.length, connectionCount]).toEqual([2, 1]);
});

it('sends nothing to a server with another certificate', async () => {
  const other = randomBytes(32).toString('hex').toUpperCase().match(/../g)?.join(':');
  await expect(send(other)).rejects.toThrow('does not belong to the server');
  const untrusted = send(undefined);
  await expect(untrusted).rejects.toBeInstanceOf(TransportError);
  await expect(untrusted).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(received).toEqual([]);
});

it('reports a server that closes the connection before it shows a certificate', async () => {
  const closing = createTcpServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(closing, 'listening');
  try {
    const lost = send(await firstFingerprint(), closing);
    await expect(lost).rejects.toBeInstanceOf(TransportError);
    await expect(lost).rejects.toMatchObject({ code: 'ECONNRESET' });
  } finally {
    closing.close();
  }
});
