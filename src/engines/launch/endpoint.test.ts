import { access, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createEndpoint, endpointAddress, removeEndpoint } from './endpoint.ts';

const isWindows = process.platform === 'win32';
const loopback = { origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) as string };

it.skipIf(isWindows)('creates a folder that only this user can open', async () => {
  const socketFolder = join(await temporaryFolder(), 'run');
  const endpoint = await createEndpoint({ socketFolder });
  if (endpoint.type !== 'socket') throw new Error('no socket');
  expect(endpoint.folder.startsWith(socketFolder)).toBe(true);
  expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
  expect((await stat(endpoint.folder)).mode & 0o777).toBe(0o700);
  expect(endpointAddress(endpoint)).toEqual({ socketPath: endpoint.socketPath });
  // The engine creates the socket.
  expect(await readdir(endpoint.folder)).toEqual([]);
  await removeEndpoint(endpoint);
  await expect(access(endpoint.folder)).rejects.toThrow('ENOENT');
});

it.skipIf(isWindows).each([
  ['whose path is too long', 'ä'.repeat(60)],
  ['that cannot be created', 'file/run'],
])('uses the temporary folder for a folder %s', async (_, name) => {
  const home = await temporaryFolder();
  await writeFile(join(home, 'file'), '');
  const socketFolder = join(home, name);
  const endpoint = await createEndpoint({ socketFolder, temporaryFolder: home });
  expect(endpoint).toMatchObject({ type: 'socket' });
  expect(endpoint.type === 'socket' && endpoint.folder.startsWith(join(home, 'hearth-'))).toBe(
    true,
  );
  await removeEndpoint(endpoint);
});

it('uses a free loopback port on Windows, and without a folder for sockets', async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, 'file'), '');
  for (const options of [
    { platform: 'win32' },
    { socketFolder: join(home, 'file/run'), temporaryFolder: join(home, 'file/tmp') },
  ] as const) {
    const endpoint = await createEndpoint(options);
    expect(endpointAddress(endpoint)).toEqual(loopback);
    await removeEndpoint(endpoint);
  }
});
