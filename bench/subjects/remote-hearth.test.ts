import { expect, it } from 'vitest';
import { loadSettings } from '../../src/settings/settings.ts';
import { remoteSettings } from './remote-hearth.ts';

const load = (server: Parameters<typeof remoteSettings>[0]) =>
  loadSettings({
    home: '/nowhere',
    environment: {},
    flags: {},
    configText: JSON.stringify(remoteSettings(server)),
  });

it('makes a server the upstream of a Hearth', async () => {
  const { upstreams } = await load({ origin: 'http://127.0.0.1:4000', apiKey: undefined });
  expect(upstreams).toMatchObject({
    bench: { url: 'http://127.0.0.1:4000/v1', kind: 'llama-server' },
  });
});

it('keeps the key of the server out of the settings', async () => {
  const server = { origin: 'http://127.0.0.1:4000', apiKey: 'secret' };
  const { upstreams } = await load(server);
  expect(upstreams['bench']?.keyFile).toBe('bench.key');
  expect(JSON.stringify(upstreams)).not.toContain('secret');
});
