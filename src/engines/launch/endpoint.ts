import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineAddress } from '../../platform/net/engine-connection.ts';

/** The address that an engine listens on. */
export type EngineEndpoint =
  | { readonly type: 'socket'; readonly socketPath: string; readonly folder: string }
  | { readonly type: 'loopback'; readonly host: '127.0.0.1'; readonly port: number };

interface EndpointOptions {
  /** Folder for sockets, created if it does not exist. */
  readonly socketFolder?: string | undefined;
  readonly platform?: NodeJS.Platform;
  readonly temporaryFolder?: string;
}

/** `sockaddr_un` holds 104 bytes on macOS and 108 on Linux, including the terminating zero. */
const maxSocketPathBytes = 103;

/**
 * Chooses a unix socket in a new folder that only this user can open, inside `socketFolder`, else inside the
 * temporary folder. Chooses a free loopback port on Windows, or if neither folder can hold a socket: the path is too
 * long, the folder is read-only, or its file system does not support sockets.
 */
export async function createEndpoint({
  socketFolder,
  platform = process.platform,
  temporaryFolder = tmpdir(),
}: EndpointOptions = {}): Promise<EngineEndpoint> {
  if (platform === 'win32') return loopbackEndpoint();
  for (const parent of [socketFolder, temporaryFolder]) {
    if (parent === undefined) continue;
    const endpoint = await socketEndpoint(parent).catch(() => undefined);
    if (endpoint !== undefined) return endpoint;
  }
  return loopbackEndpoint();
}

/** @throws Error if the folder can't hold a socket. */
async function socketEndpoint(parent: string): Promise<EngineEndpoint> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, 'hearth-'));
  try {
    const socketPath = join(folder, 'e.sock');
    if (Buffer.byteLength(socketPath) > maxSocketPathBytes) throw new Error('too long a path');
    await assertListens(socketPath);
    return { type: 'socket', socketPath, folder };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function assertListens(socketPath: string): Promise<void> {
  const server = createServer().listen(socketPath);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Removes the folder that `createEndpoint` created. */
export async function removeEndpoint(endpoint: EngineEndpoint): Promise<void> {
  if (endpoint.type === 'socket') await rm(endpoint.folder, { recursive: true, force: true });
}

export function endpointAddress(endpoint: EngineEndpoint): EngineAddress {
  return endpoint.type === 'socket'
    ? { socketPath: endpoint.socketPath }
    : { origin: `http://${endpoint.host}:${endpoint.port}` };
}

/** A loopback port that was free a moment ago. */
export async function loopbackEndpoint(): Promise<
  Extract<EngineEndpoint, { readonly type: 'loopback' }>
> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no loopback port');
  return { type: 'loopback', host: '127.0.0.1', port: address.port };
}
