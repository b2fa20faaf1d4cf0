import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingKeys, settingsTable } from '../../src/settings/settings-table.ts';
import { environmentVariables } from '../../src/settings/setting-names.ts';
import { getHealth, getReadiness } from '../../src/api/monitoring/health-schema.ts';
import { metricTable } from '../../src/telemetry/metrics/metric-table.ts';
import { get } from '../setup/server/api.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { projectFolder } from '../setup/project-folder.ts';

const read = (name: string) => readFile(join(projectFolder, 'deploy', name), 'utf8');
const shutdownSeconds = settingsTable['limits.shutdownSeconds'].schema.parse(undefined);
const upstreamsSetting = settingsTable.upstreams.schema;
const variables = new Set([...settingKeys.flatMap(environmentVariables), 'HEARTH_HOME']);
const variablesIn = (text: string) => [...new Set(text.match(/\bHEARTH_[A-Z_]+\b/g))];

describe('the files in deploy/', () => {
  it.each([
    'Dockerfile',
    'compose.yaml',
    'kubernetes.yaml',
    'cluster/compose.yaml',
    'cluster/kubernetes.yaml',
  ])('%s sets existing settings', async (name) => {
    const text = (await read(name)).replaceAll(/^\s*#.*$/gm, '');
    expect(variablesIn(text).filter((variable) => !variables.has(variable))).toEqual([]);
  });

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
    const [, deployment] = parseAllDocuments(await read('kubernetes.yaml')).map((each) =>
      each.toJS(),
    );
    const { spec } = deployment.spec.template;
    const [container] = spec.containers;
    const waitSeconds = Number(container.lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds + waitSeconds);
  });

  it('Kubernetes probes endpoints that exist, and its volumes and names agree', async () => {
    const [claim, deployment, service] = parseAllDocuments(await read('kubernetes.yaml')).map(
      (each) => each.toJS(),
    );
    const { spec, metadata } = deployment.spec.template;
    const [container] = spec.containers;
    expect(container.startupProbe.httpGet.path).toBe(getHealth.path);
    expect(container.livenessProbe.httpGet.path).toBe(getHealth.path);
    expect(container.readinessProbe.httpGet.path).toBe(getReadiness.path);
    expect(spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
    expect(service.spec.selector).toEqual(metadata.labels);
    expect(deployment.spec.selector.matchLabels).toEqual(metadata.labels);
    expect(service.spec.ports[0].targetPort).toBe(container.ports[0].name);
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounted).toEqual(spec.volumes.map(({ name }: { name: string }) => name));
  });

  it('several servers share a database, settings and a proxy', async () => {
    const { services, configs } = parse(await read('cluster/compose.yaml'), { merge: true });
    const [first, second] = [services['hearth-1'], services['hearth-2']];
    expect({ ...first, volumes: [] }).toEqual({ ...second, volumes: [] });
    expect(first.volumes).not.toEqual(second.volumes);
    expect(Number.parseInt(first.stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
    // Compose can't write the text of a config into a service with `read_only`.
    expect(configs.front).toEqual({ file: expect.any(String) });
    const { upstreams } = JSON.parse(await read(join('cluster', configs.front.file)));
    expect(upstreamsSetting.safeParse(upstreams).success).toBe(true);
    for (const url of upstreams.engines.url) expect(services).toHaveProperty(new URL(url).hostname);
    const proxy = await read('cluster/nginx.conf');
    for (const name of ['hearth-1', 'hearth-2']) expect(proxy).toContain(`server ${name}:1234`);
  });

  it('Kubernetes probes and scales several servers', async () => {
    const [settings, deployment, service, budget, scaler] = parseAllDocuments(
      await read('cluster/kubernetes.yaml'),
    ).map((each) => each.toJS());
    const { spec, metadata } = deployment.spec.template;
    const [container] = spec.containers;
    expect(container.readinessProbe.httpGet.path).toBe(getReadiness.path);
    expect(container.livenessProbe.httpGet.path).toBe(getHealth.path);
    const waitSeconds = Number(container.lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds + waitSeconds);
    for (const { selector } of [service.spec, { selector: budget.spec.selector.matchLabels }]) {
      expect(selector).toEqual(metadata.labels);
    }
    expect(scaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
    expect(Object.keys(metricTable)).toContain(scaler.spec.metrics[0].pods.metric.name);
    const { upstreams } = JSON.parse(settings.data['config.json']);
    expect(upstreamsSetting.safeParse(upstreams).success).toBe(true);
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
