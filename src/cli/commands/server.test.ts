import type { ServerResponse } from 'node:http';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { ensureHomeId } from '../../platform/home/home-id.ts';
import { removeOwnerToken, writeOwnerToken } from '../../platform/home/owner-token.ts';
import { requestStop } from './server.ts';

const { signal } = new AbortController();
let home: string;
let homeId: string;
beforeEach(async () => {
  home = await temporaryFolder();
  homeId = await ensureHomeId(home);
  await writeOwnerToken(home, 'hearth-owner-secret');
});

/** A server with the id of a home; `answer` responds to the request to stop. */
async function serve(id: string, answer: (response: ServerResponse) => void) {
  const server = await startLoopbackServer(({ path }, response) => {
    if (path === '/health') sendJson(response, { status: 'ok', home_id: id });
    else answer(response);
  });
  onTestFinished(() => server.close());
  return server;
}

const stop = (url: string) =>
  requestStop(
    { home, signal },
    { pid: process.pid, url, version: '0.1.0', started_at: '2026-11-21T10:00:00.000Z' },
  );

it('sends the token of the owner to the server of the home', async () => {
  const server = await serve(homeId, (response) =>
    sendJson(response, { pid: 4711, stopping: true }),
  );
  expect(await stop(server.url)).toBe(true);
  expect(server.requests.at(-1)).toMatchObject({
    method: 'POST',
    path: '/api/v1/server/stop',
    headers: { authorization: 'Bearer hearth-owner-secret' },
  });
});

it('takes a server that stops already as one that takes the request', async () => {
  const error = { type: 'unavailable', code: 'shutting_down', message: 'The server is stopping.' };
  const server = await serve(homeId, (response) => sendJson(response, { error }, 503));
  expect(await stop(server.url)).toBe(true);
});

it.each<[string, (response: ServerResponse) => void]>([
  [
    'an older server',
    (response) => sendJson(response, { error: { type: 'not_found', message: 'No.' } }, 404),
  ],
  ['a server that does not accept the token', (response) => response.writeHead(401).end()],
  ['a server that hangs up', (response) => void response.destroy()],
])('reports %s', async (_, answer) => {
  const server = await serve(homeId, answer);
  expect(await stop(server.url)).toBe(false);
});

it('sends no token to another server', async () => {
  const server = await serve('6f1c1d0e-2f0b-4a59-9d7e-0b1f3a5c7d9e', () => {});
  expect(await stop(server.url)).toBe(false);
  expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/health', undefined],
  ]);
  await server.close();
  expect(await stop(server.url)).toBe(false);
});

it('asks for nothing without the token of the owner', async () => {
  const server = await serve(homeId, () => {});
  await removeOwnerToken(home);
  expect(await stop(server.url)).toBe(false);
  expect(server.requests).toEqual([]);
});
