import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingKeys, settingsTable } from '../../src/settings/settings-table.ts';
import { environmentVariables } from '../../src/settings/setting-names.ts';
import { get } from '../setup/server/api.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { projectFolder } from '../setup/project-folder.ts';

const read = (name: string) => readFile(join(projectFolder, 'deploy', name), 'utf8');
const shutdownSeconds = settingsTable['limits.shutdownSeconds'].schema.parse(undefined);
const upstreamsSetting = settingsTable.upstreams.schema;
const variables = new Set([...settingKeys.flatMap(environmentVariables), 'HEARTH_HOME']);
const variablesIn = (text: string) => [...new Set(text.match(/\bHEARTH_[A-Z_]+\b/g))];

describe('the files in deploy/', () => {
  it.each(['Dockerfile', 'compose.yaml', 'cluster/compose.yaml'])(
    '%s sets existing settings',
    async (name) => {
      const text = (await read(name)).replaceAll(/^\s*#.*$/gm, '');
      expect(variablesIn(text).filter((variable) => !variables.has(variable))).toEqual([]);
    },
  );

  it('an image starts as a user without privileges and requires tokens', async () => {
    const text = await read('Dockerfile');
    expect(text.match(/^USER .*$/gm)?.at(-1)).toBe('USER 1000:1000');
    expect(text).toContain('HEARTH_AUTH_REQUIRED=true');
    const sources = text.matchAll(/^COPY (?!--from)(\S+)/gm);
    for (const [, source = ''] of sources) {
      expect((await stat(join(projectFolder, source))).isDirectory()).toBe(true);
    }
  });

  it('containers have more time to stop than requests to finish', async () => {
    const { services } = parse(await read('compose.yaml'));
    expect(Number.parseInt(services.hearth.stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
    expect((await stat(join(projectFolder, services.hearth.build.dockerfile))).isFile()).toBe(true);
  });

  it('several servers share a database, settings and a proxy', async () => {
    const { services, configs } = parse(await read('cluster/compose.yaml'), { merge: true });
    const { hearth } = services;
    expect(hearth.deploy.replicas).toBeGreaterThan(1);
    // Each container has its own home folder, an anonymous volume.
    expect(hearth.volumes).toEqual(['/data']);
    expect(Number.parseInt(hearth.stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
    // Must be a file: Compose can't write the text of a config into a service with `read_only`.
    expect(configs.front).toEqual({ file: expect.any(String) });
    const { upstreams } = JSON.parse(await read(join('cluster', configs.front.file)));
    expect(upstreamsSetting.safeParse(upstreams).success).toBe(true);
    for (const url of upstreams.engines.url) expect(services).toHaveProperty(new URL(url).hostname);
    const proxy = await read('cluster/nginx.conf');
    expect(proxy).toContain('set $servers hearth:1234;');
  });

  it('the settings of the image make a server whose probes need no token', async () => {
    const environment = Object.fromEntries(
      [...(await read('Dockerfile')).matchAll(/(HEARTH_(?:SERVER_HOST|AUTH_REQUIRED))=(\S+)/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    expect(Object.keys(environment)).toHaveLength(2);
    const server = await openHearth({ environment });
    expect((await get(server.url, '/health')).status).toBe(200);
    expect((await get(server.url, '/ready')).status).toBe(200);
    expect((await get(server.url, '/api/v1/models')).status).toBe(401);
  });
});
