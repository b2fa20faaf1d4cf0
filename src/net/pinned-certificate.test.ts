import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from '../../test/setup/project-folder.ts';
import { sendApiRequest, TransportError } from './api-client-transport.ts';

const fixture = (name: string) => readFile(join(projectFolder, 'test/fixtures/tls', name), 'utf8');

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

const send = (certificate: string | undefined) =>
  sendApiRequest({
    method: 'GET',
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    headers: { authorization: 'Bearer secret' },
    signal: new AbortController().signal,
    certificate,
  });

it('accepts the expected certificate, whatever its names and its authority', async () => {
  const { fingerprint256 } = new X509Certificate(await fixture('first.cert.pem'));
  const { status, chunks } = await send(fingerprint256);
  for await (const _ of chunks);
  expect(status).toBe(200);
  expect(received).toEqual(['Bearer secret']);
});

it('sends nothing to a server with another certificate', async () => {
  const { fingerprint256 } = new X509Certificate(await fixture('second.cert.pem'));
  await expect(send(fingerprint256)).rejects.toThrow('not that of the server');
  await expect(send(undefined)).rejects.toBeInstanceOf(TransportError);
  expect(received).toEqual([]);
});
