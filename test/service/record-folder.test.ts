import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get } from '../setup/server/api.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

describe('--record-folder', () => {
  it('holds the address of the server for all users while it runs', async () => {
    const folder = await temporaryFolder();
    const server = await openHearth({ flags: ['--record-folder', folder] });
    const file = join(folder, 'server.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      url: server.url,
      pid: server.pid,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o644);
    expect((await stat(join(server.home, 'server.json'))).mode & 0o777).toBe(0o600);
    await server.stop();
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('may be missing: the server starts without it', async () => {
    const folder = join(await temporaryFolder(), 'missing');
    const server = await openHearth({ flags: ['--record-folder', folder] });
    expect((await get(server.url, '/health')).status).toBe(200);
    expect(server.log()).toContain('other users do not find the server');
  });
});
