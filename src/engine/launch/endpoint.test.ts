import { access, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createEndpoint, endpointAddress, removeEndpoint } from './endpoint.ts';

it.skipIf(process.platform === 'win32')(
  'creates a folder that only this user can open',
  async () => {
    const endpoint = await createEndpoint();
    if (endpoint.type !== 'socket') throw new Error('no socket');
    expect((await stat(endpoint.folder)).mode & 0o777).toBe(0o700);
    expect(endpointAddress(endpoint)).toEqual({ socketPath: endpoint.socketPath });
    await removeEndpoint(endpoint);
    await expect(access(endpoint.folder)).rejects.toThrow('ENOENT');
  },
);

it('uses a free loopback port on Windows', async () => {
  const endpoint = await createEndpoint('win32');
  expect(endpointAddress(endpoint)).toEqual({
    origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
  });
  await removeEndpoint(endpoint);
});
