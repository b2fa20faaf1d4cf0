import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { getHealth, getReadiness } from '../../src/api/monitoring/health-schema.ts';
import { environmentVariables } from '../../src/settings/setting-names.ts';
import { settingKeys, settingsTable } from '../../src/settings/settings-table.ts';
import { metricTable } from '../../src/telemetry/metrics/metric-table.ts';
import {
  chart,
  hasDeployTools,
  lintChart,
  renderChart,
  type Manifest,
} from '../setup/deploy/render-chart.ts';
import { manifestValidator } from '../setup/deploy/schemas.ts';
import { projectFolder } from '../setup/project-folder.ts';

const readDeploy = (name: string) => readFile(join(projectFolder, 'deploy', name), 'utf8');

const everything = {
  image: { repository: 'registry.example.com/hearth', tag: 'today' },
  imagePullSecrets: [{ name: 'registry' }],
  replicas: 3,
  settings: { 'store.url': 'postgres://hearth@db/hearth', 'limits.shutdownSeconds': 120 },
  secretSettings: { 'hub.token': { name: 'hub', key: 'token' } },
  secretFiles: ['lab-key', 'authority'],
  pluginsSecret: 'plugins',
  environment: [
    { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
  ],
  publicUrl: 'https://example.com/hearth',
  persistence: { storageClass: 'fast' },
  service: { type: 'LoadBalancer', annotations: { 'example.com/zone': 'a' } },
  ingress: {
    enabled: true,
    className: 'proxy',
    annotations: { 'example.com/timeout': '3600' },
    hosts: ['example.com', 'www.example.com'],
    tlsSecret: 'certificate',
  },
  route: { enabled: true, parentRefs: [{ name: 'gateway' }], hostnames: ['chat.example.com'] },
  podMonitor: {
    enabled: true,
    labels: { release: 'prometheus' },
    tokenSecret: { name: 'metrics', key: 'token' },
  },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
  runtimeClassName: 'nvidia',
  nodeSelector: { pool: 'gpu' },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
};
const several = 'several-servers.yaml';
const cases = [
  ['no values', {}],
  [several, several],
  ['all values', everything],
] as const;

/** The parts of a StatefulSet that the tests read. */
interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [field: string]: unknown;
}
interface Servers extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName: string;
    readonly selector: { readonly matchLabels: object };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
        readonly terminationGracePeriodSeconds: number;
        readonly [field: string]: unknown;
      };
    };
  };
}
type Render = Awaited<ReturnType<typeof renderChart>>;

function serversOf(manifests: Render) {
  const servers = manifests.get('StatefulSet') as Servers;
  const { spec } = servers.spec.template;
  return { servers, pod: spec, container: spec.containers[0] };
}

const variablesOf = (manifests: Render) =>
  Object.fromEntries(
    serversOf(manifests).container.env.map(({ name, value }) => [name, value] as const),
  );

describe.runIf(hasDeployTools)('the chart', () => {
  it.each(cases)('passes helm lint with %s', async (_, values) => {
    expect(await lintChart(values)).toContain('0 chart(s) failed');
  });

  it.each(['1.27.0', '1.37.0'])('makes objects that Kubernetes %s accepts', async (version) => {
    const validate = manifestValidator(version);
    const kinds = new Set<string>();
    for (const [, values] of cases) {
      for (const [kind, manifest] of await renderChart(values)) {
        expect(validate(manifest), kind).toEqual([]);
        // Proves that the schema applies to this object and does not allow everything.
        expect(validate({ ...manifest, spec: { replica: 1 }, data: 1 }), kind).not.toEqual([]);
        kinds.add(kind);
      }
    }
    expect([...kinds].toSorted()).toEqual([
      'ConfigMap',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'PrometheusRule',
      'Service',
      'StatefulSet',
    ]);
  });

  it('sets every setting by its variable', async () => {
    const own = ['server.host', 'server.port', 'server.publicUrl', 'server.allowedHosts'];
    const keys = settingKeys.filter((key) => !own.includes(key));
    const settings = Object.fromEntries(keys.map((key) => [key, key]));
    const variables = variablesOf(await renderChart({ settings }));
    for (const key of keys) expect(variables[environmentVariables(key)[0] ?? '']).toBe(key);
    expect(Object.keys(variables)).toHaveLength(keys.length + 1);
    for (const key of own) {
      await expect(renderChart({ settings: { [key]: '1' } })).rejects.toThrow(`settings.${key}`);
    }
  });

  it('writes values as the settings read them', async () => {
    const settings = {
      'models.preload': ['a/b', 'c/d'],
      'models.memoryLimitBytes': 8_589_934_592,
      'models.aliases': { 'gpt-*': 'a/b' },
      'auth.required': true,
      upstreams: { lab: { url: 'http://lab/v1' } },
    } as const;
    const variables = variablesOf(await renderChart({ settings }));
    for (const [key, value] of Object.entries(settings)) {
      const text = variables[environmentVariables(key as keyof typeof settings)[0] ?? ''] ?? '';
      const { schema } = settingsTable[key as keyof typeof settings];
      expect(schema.parse(text)).toEqual(schema.parse(value));
    }
  });

  it('probes routes that exist and need no token', async () => {
    const { container } = serversOf(await renderChart({}));
    const probe = (path: string) => ({ httpGet: { path, port: container.ports[0]?.name } });
    expect(container).toMatchObject({
      startupProbe: probe(getHealth.path),
      livenessProbe: probe(getHealth.path),
      readinessProbe: probe(getReadiness.path),
    });
    for (const { permission } of [getHealth, getReadiness]) expect(permission).toBeNull();
  });

  it('gives servers longer to stop than requests to finish', async () => {
    const standard = settingsTable['limits.shutdownSeconds'].schema.parse(undefined);
    for (const [values, shutdownSeconds] of [
      [{}, standard],
      [everything, 120],
    ] as const) {
      const { pod, container } = serversOf(await renderChart(values));
      const command = (
        container['lifecycle'] as { preStop: { exec: { command: readonly string[] } } }
      ).preStop.exec.command;
      const needed = shutdownSeconds + Number(command[1]);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed + 20);
    }
  });

  it.each(cases)('runs pods without privileges with %s', async (_, values) => {
    const { servers, pod, container } = serversOf(await renderChart(values));
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounts).toEqual(expect.arrayContaining(['/data', '/tmp']));
    const volumes = [
      ...pod.volumes.map(({ name }) => name),
      ...(servers.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
    ];
    expect(volumes.toSorted()).toEqual(container.volumeMounts.map(({ name }) => name).toSorted());
  });

  it.each(cases)('selects the pods everywhere with %s', async (_, values) => {
    const manifests = await renderChart(values, { release: 'chat', namespace: 'models' });
    const { servers, container } = serversOf(manifests);
    const { labels } = servers.spec.template.metadata;
    const specOf = (kind: string) => manifests.get(kind)?.['spec'] as Record<string, never>;
    expect(servers.spec.selector.matchLabels).toEqual(labels);
    expect(specOf('Service')).toMatchObject({
      selector: labels,
      ports: [{ targetPort: container.ports[0]?.name }],
    });
    expect(specOf('PodDisruptionBudget')).toMatchObject({ selector: { matchLabels: labels } });
    expect(specOf('NetworkPolicy')).toMatchObject({
      podSelector: { matchLabels: labels },
      ingress: [{ ports: [{ port: container.ports[0]?.name }] }],
    });
    const monitor = (specOf('PodMonitor') ?? specOf('PodDisruptionBudget')) as object;
    expect(monitor).toMatchObject({ selector: { matchLabels: labels } });
    for (const { metadata } of manifests.values()) {
      expect(metadata).toMatchObject({ name: 'chat-hearth', namespace: 'models' });
    }
  });

  it('keeps names short enough for the labels of pods', async () => {
    const manifests = await renderChart({}, { release: 'r'.repeat(53) });
    expect(manifests.get('StatefulSet')?.metadata.name).toHaveLength(52);
  });

  it('scales by a metric that Hearth has and the adapter serves', async () => {
    const manifests = await renderChart(several);
    const { servers } = serversOf(manifests);
    const { scaleTargetRef, metrics } = (manifests.get('HorizontalPodAutoscaler') as Manifest)[
      'spec'
    ] as {
      readonly scaleTargetRef: object;
      readonly metrics: readonly [
        { readonly pods: { readonly metric: { readonly name: string } } },
      ];
    };
    expect(scaleTargetRef).toMatchObject({ kind: servers.kind, name: servers.metadata.name });
    expect(servers.spec.replicas).toBeUndefined();
    const { name } = metrics[0].pods.metric;
    expect(Object.keys(metricTable)).toContain(name);
    const { rules } = parse(await readDeploy('prometheus/adapter-values.yaml'));
    expect(rules.custom[0].seriesQuery).toMatch(new RegExp(`^${name}\\{`));
  });

  it('needs a database for several servers', async () => {
    const message = /need a PostgreSQL database/;
    await expect(renderChart({ replicas: 2 })).rejects.toThrow(message);
    const autoscaling = { enabled: true };
    await expect(renderChart({ autoscaling })).rejects.toThrow(message);
    const settings = { 'store.url': '/data/other.db' };
    await expect(renderChart({ replicas: 2, settings })).rejects.toThrow(message);
  });

  it('refuses values that it does not know', async () => {
    await expect(renderChart({ persistance: {} })).rejects.toThrow(/persistance/);
    await expect(renderChart({ persistence: { enable: true } })).rejects.toThrow(/enable/);
  });

  it('carries the rules and the dashboard', async () => {
    const manifests = await renderChart(everything);
    const files = join(chart, 'files');
    const rules = parse(await readFile(join(files, 'hearth-alerts.yml'), 'utf8'));
    expect(manifests.get('PrometheusRule')?.['spec']).toEqual(rules);
    expect(manifests.get('PodMonitor')?.['spec']).toMatchObject({
      jobLabel: 'app.kubernetes.io/name',
    });
    const { data } = manifests.get('ConfigMap') as unknown as { data: Record<string, string> };
    const dashboard = await readFile(join(files, 'hearth-dashboard.json'), 'utf8');
    expect(data['hearth-dashboard.json']?.trim()).toBe(dashboard.trim());
  });

  it('has the version of Hearth', async () => {
    const { version, appVersion } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'));
    const { version: current } = JSON.parse(
      await readFile(join(projectFolder, 'package.json'), 'utf8'),
    ) as { readonly version: string };
    expect([version, appVersion]).toEqual([current, current]);
  });
});

describe.runIf(hasDeployTools)('the example with vLLM', () => {
  it("names the router and the models of the production stack's chart", async () => {
    const { HEARTH_UPSTREAMS = '' } = variablesOf(await renderChart(several));
    const { engines } = settingsTable.upstreams.schema.parse(HEARTH_UPSTREAMS);
    const text = await readDeploy('helm/examples/vllm-stack.yaml');
    const [, release = ''] = /helm install (\S+) vllm\/vllm-stack/.exec(text) ?? [];
    expect(engines?.url).toBe(`http://${release}-router-service/v1`);
    const [{ modelURL, keda }] = parse(text).servingEngineSpec.modelSpec;
    const { query } = keda.triggers[0].metadata;
    expect(query).toContain(
      `hearth_num_requests_waiting{model="engines/${modelURL.toLowerCase()}"}`,
    );
    expect(query).toContain(`vllm:num_requests_waiting{model_name="${modelURL}"}`);
    expect(Object.keys(metricTable)).toContain('hearth_num_requests_waiting');
  });
});
