import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder, useTemporaryFolder } from '../setup/temporary-folder.ts';

describe('a command without a server of its own home', () => {
  const stranger = useHearth();
  const folder = useTemporaryFolder();

  const strangerPort = () => new URL(stranger.url).port;
  const loadedModels = async () => (await get(stranger.url, '/api/v1/status')).body.instances;

  // covers cli-16
  it('never reaches the server of another home', async () => {
    await runHearth(['load', 'hearth/starter-chat'], { home: stranger.home });
    expect(await loadedModels()).toHaveLength(1);
    const environment = { HEARTH_SERVER_PORT: strangerPort() };
    const { exitCode, stderr } = await runHearth(['unload', '--all'], {
      home: folder.path,
      environment,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: Hearth is not running for the home folder .*`hearth serve`/);
    expect(stderr).toContain(`To use it, add --host ${stranger.url}.`);
    expect(await loadedModels()).toHaveLength(1);
  });

  // covers cli-16
  it('reaches another server by --host or HEARTH_HOST', async () => {
    const environment = { HEARTH_HOST: stranger.url };
    const listed = await runHearth(['ps', '--json'], { home: folder.path, environment });
    expect(JSON.parse(listed.stdout)).toMatchObject({ instances: [{ id: 'hearth/starter-chat' }] });
    const unloaded = await runHearth(['unload', '--all', '--host', stranger.url], {
      home: folder.path,
    });
    expect(unloaded.stdout).toBe('Unloaded hearth/starter-chat\n');
  });
});

describe('a server that requires a token', () => {
  const server = useHearth({ flags: ['--auth-required'] });

  // covers cli-17
  it('accepts the commands of its owner, and no other client on loopback', async () => {
    const list = await runHearth(['ls'], { home: server.home });
    expect(list).toMatchObject({ exitCode: 0 });
    expect((await get(server.url, '/api/v1/models')).status).toBe(401);
    const other = await temporaryFolder();
    const refused = await runHearth(['ls', '--host', server.url], { home: other });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/requires a token/);
  });

  it('prints the header that clients send', () => {
    expect(server.log()).toContain('-H "Authorization: Bearer $HEARTH_TOKEN"');
  });

  it('keeps the token of the owner in a file that only the owner can read', async () => {
    const file = join(server.home, 'owner-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = (await readFile(file, 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}` };
    expect((await get(server.url, '/api/v1/tokens', { headers })).status).toBe(200);
    expect(server.log()).not.toContain(token);
  });

  it('makes the token of the last start worthless', async () => {
    const file = join(server.home, 'owner-token');
    const old = (await readFile(file, 'utf8')).trim();
    await server.kill();
    await server.restart();
    const headers = { authorization: `Bearer ${old}` };
    expect((await get(server.url, '/api/v1/tokens', { headers })).status).toBe(401);
    expect((await readFile(file, 'utf8')).trim()).not.toBe(old);
  });
});
