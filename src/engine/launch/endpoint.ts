import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineAddress } from '../../net/engine-connection.ts';

/** The address that an engine listens on. */
export type EngineEndpoint =
  | { readonly type: 'socket'; readonly socketPath: string; readonly folder: string }
  | { readonly type: 'loopback'; readonly host: '127.0.0.1'; readonly port: number };

/** `sockaddr_un` holds 104 bytes on macOS and 108 on Linux, including the terminating zero. */
const maxSocketPathBytes = 103;

/**
 * Creates a unix socket address in a new folder that only this user can open; a free loopback port on Windows and
 * if the path of the temporary folder is too long.
 */
export async function createEndpoint(platform = process.platform): Promise<EngineEndpoint> {
  if (platform === 'win32') return loopbackEndpoint();
  const folder = await mkdtemp(join(tmpdir(), 'hearth-'));
  const socketPath = join(folder, 'e.sock');
  if (Buffer.byteLength(socketPath) <= maxSocketPathBytes) {
    return { type: 'socket', socketPath, folder };
  }
  await rm(folder, { recursive: true, force: true });
  return loopbackEndpoint();
}

/** Removes the folder that `createEndpoint` made. */
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
