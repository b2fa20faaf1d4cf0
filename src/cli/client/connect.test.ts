import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { listModels } from '../../api/v1/models/model-schema.ts';
import { ensureHomeId } from '../../platform/home/home-id.ts';
import { writeOwnerToken } from '../../platform/home/owner-token.ts';
import { writeServerRecord } from '../../platform/home/server-record.ts';
import { connect } from './connect.ts';

type LoopbackServer = Awaited<ReturnType<typeof startLoopbackServer>>;

const { signal } = new AbortController();
let home: string;
let serviceFolder: string;
let homeId: string;
let servers: LoopbackServer[];
beforeEach(async () => {
  home = await temporaryFolder();
  serviceFolder = join(home, 'service');
  await mkdir(serviceFolder);
  homeId = await ensureHomeId(home);
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
});

/** A server that responds with this body at /health. */
async function serve(health: unknown, status = 200): Promise<LoopbackServer> {
  const server = await startLoopbackServer(({ path }, response) =>
    path === '/health' ? sendJson(response, health, status) : sendJson(response, { models: [] }),
  );
  servers.push(server);
  return server;
}
const hearth = (id: string) => serve({ status: 'ok', home_id: id });
const portOf = ({ url }: Pick<LoopbackServer, 'url'>) => new URL(url).port;

const record = (folder: string, url: string, more: { readonly requires_token?: true } = {}) =>
  writeServerRecord(folder, {
    pid: 1,
    url,
    version: '1',
    started_at: '2026-01-01T00:00:00Z',
    ...more,
  });

const connectWith = (
  environment: Readonly<Record<string, string>> = {},
  options: { readonly host?: string; readonly token?: string } = {},
) =>
  connect(
    {
      home,
      serviceFolder,
      environment: { HEARTH_SERVER_PORT: '0', ...environment },
      terminal: createMemoryTerminal().terminal,
      stdin: Readable.from([]),
      entryPoint: '',
      signal,
    },
    options,
  );

async function freeUrl(): Promise<string> {
  const unused = createServer().listen(0, '127.0.0.1');
  await once(unused, 'listening');
  const { port } = unused.address() as AddressInfo;
  unused.close();
  await once(unused, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('the order of servers', () => {
  // covers cli-22
  it('prefers --host to HEARTH_HOST to the record of the home', async () => {
    await record(home, (await hearth(homeId)).url);
    const environment = { HEARTH_HOST: 'http://127.0.0.1:1' };
    expect((await connectWith(environment, { host: '127.0.0.1:2' })).baseUrl).toBe(
      'http://127.0.0.1:2',
    );
    expect((await connectWith(environment)).baseUrl).toBe('http://127.0.0.1:1');
    expect((await connectWith({ HEARTH_HOST: '' })).baseUrl).toBe(servers[0]?.url);
  });

  it('names the variable with an invalid address', async () => {
    await expect(connectWith({ HEARTH_HOST: 'ftp://a' })).rejects.toThrow(
      'HEARTH_HOST: "ftp://a" is not a URL',
    );
  });

  // covers cli-22
  it('prefers the record of the home to that of a system service to the configured port', async () => {
    const [own, service, configured] = [
      await hearth(homeId),
      await hearth('x'),
      await hearth(homeId),
    ];
    const environment = { HEARTH_SERVER_PORT: portOf(configured) };
    await record(home, own.url);
    await record(serviceFolder, service.url);
    expect((await connectWith(environment)).baseUrl).toBe(own.url);
    await rm(join(home, 'server.json'));
    expect((await connectWith(environment)).baseUrl).toBe(service.url);
    await rm(join(serviceFolder, 'server.json'));
    expect((await connectWith(environment)).baseUrl).toBe(configured.url);
  });

  it('skips records of servers that are gone', async () => {
    const configured = await hearth(homeId);
    await record(home, await freeUrl());
    await record(serviceFolder, await freeUrl());
    const client = await connectWith({ HEARTH_SERVER_PORT: portOf(configured) });
    expect(client.baseUrl).toBe(configured.url);
  });
});

describe('a server that is not that of the home', () => {
  it('is named if it belongs to another home', async () => {
    const other = await hearth('11111111-1111-4111-8111-111111111111');
    await record(home, other.url);
    const error = await connectWith({ HEARTH_SERVER_PORT: portOf(other) }).catch(String);
    expect(error).toContain('Hearth is not running for the home folder');
    expect(error).toContain(`belongs to another home folder. To use it, add --host ${other.url}.`);
    expect(other.requests.every(({ path }) => path === '/health')).toBe(true);
  });

  it.each([
    ['another status at /health', { status: 'ok' }, 200],
    ['an error of another form', { error: 'Unexpected endpoint' }, 200],
    ['no such path', '<html>', 404],
  ])('is named if it is not Hearth: %s', async (_, body, status) => {
    const other = await serve(body, status);
    await expect(connectWith({ HEARTH_SERVER_PORT: portOf(other) })).rejects.toThrow(
      `The program at ${other.url} is not Hearth.`,
    );
  });

  it('is named if it does not speak HTTP', async () => {
    const listener = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    try {
      const { port } = listener.address() as AddressInfo;
      await expect(connectWith({ HEARTH_SERVER_PORT: String(port) })).rejects.toThrow(
        'is not Hearth',
      );
    } finally {
      listener.close();
    }
  });

  it('does not match a home that no server has used', async () => {
    const server = await hearth(homeId);
    await rm(join(home, 'home-id'));
    await expect(connectWith({ HEARTH_SERVER_PORT: portOf(server) })).rejects.toThrow(
      'belongs to another home folder',
    );
  });
});

describe('the token', () => {
  const authorizationOf = async (
    server: LoopbackServer,
    client: Awaited<ReturnType<typeof connect>>,
  ) => {
    await client.call(listModels, {}, signal);
    return server.requests.at(-1)?.headers.authorization;
  };

  it('is not sent to a server that needs none', async () => {
    await writeOwnerToken(home, 'hearth-owner-secret');
    const own = await hearth(homeId);
    await record(home, own.url);
    expect(await authorizationOf(own, await connectWith())).toBeUndefined();
  });

  it('is that of the owner for the server of the home only, unless another is used', async () => {
    await writeOwnerToken(home, 'hearth-owner-secret');
    const own = await hearth(homeId);
    await record(home, own.url, { requires_token: true });
    expect(await authorizationOf(own, await connectWith())).toBe('Bearer hearth-owner-secret');
    expect(own.requests[0]?.headers.authorization).toBeUndefined();
    expect(await authorizationOf(own, await connectWith({ HEARTH_TOKEN: 'mine' }))).toBe(
      'Bearer mine',
    );
    const explicit = await connectWith({}, { host: own.url });
    expect(await authorizationOf(own, explicit)).toBeUndefined();
    await rm(join(home, 'server.json'));
    const service = await hearth(homeId);
    await record(serviceFolder, service.url);
    expect(await authorizationOf(service, await connectWith())).toBeUndefined();
  });

  it('is never sent to another server that took the port of the home', async () => {
    await writeOwnerToken(home, 'hearth-owner-secret');
    const other = await hearth('22222222-2222-4222-8222-222222222222');
    await record(home, other.url, { requires_token: true });
    await expect(connectWith()).rejects.toThrow('Hearth is not running');
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

it('reports a broken config.json', async () => {
  await writeFile(join(home, 'config.json'), '{');
  await expect(connectWith()).rejects.toThrow(/config\.json/);
});
