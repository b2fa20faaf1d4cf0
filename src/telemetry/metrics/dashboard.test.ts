import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectFolder } from '../../../test/setup/project-folder.ts';
import { ServerEvents } from '../../kernel/events/server-events.ts';
import { metricTable, type MetricDeclaration } from './metric-table.ts';
import { ServerMetrics } from './server-metrics.ts';

const deploy = join(projectFolder, 'deploy');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly query: string | { readonly query: string } }[];
  };
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts?: readonly object[];
    }[];
  }[];
}

async function dashboardQueries(): Promise<readonly string[]> {
  const text = await readFile(join(deploy, 'helm/hearth/files/hearth-dashboard.json'), 'utf8');
  const { panels, templating } = JSON.parse(text) as Dashboard;
  const variables = templating.list.map(({ query }) =>
    typeof query === 'string' ? query : query.query,
  );
  return [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...variables];
}

async function readRules() {
  const text = await readFile(join(deploy, 'helm/hearth/files/hearth-alerts.yml'), 'utf8');
  return (parse(text) as Rules).groups.flatMap(({ rules }) => rules);
}

const alertQueries = async () => (await readRules()).map(({ expr }) => expr);

/** Names of the series that exist, with their labels if they are our own. */
async function seriesLabels(): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const metrics = new ServerMetrics({
    events: new ServerEvents(() => {}),
    version: '',
    instances: async () => [],
    memory: () => ({ availableBytes: 0, reservedBytes: 0 }),
    folders: {},
  });
  const text = await metrics.read('prometheus');
  const series = new Map<string, readonly string[] | undefined>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) series.set(name, undefined);
  const table: Readonly<Record<string, MetricDeclaration>> = metricTable;
  for (const [name, { type, labels }] of Object.entries(table)) {
    if (type !== 'histogram') series.set(name, labels);
    else {
      series.set(`${name}_bucket`, [...labels, 'le']);
      for (const end of ['_sum', '_count']) series.set(name + end, labels);
    }
  }
  return series;
}

describe.each([
  ['the dashboard', dashboardQueries],
  ['the alert rules', alertQueries],
])('%s', (_, queries) => {
  it('names only metrics and labels that exist', async () => {
    const series = await seriesLabels();
    const expressions = await queries();
    expect(expressions.length).toBeGreaterThan(5);
    for (const expression of expressions) {
      for (const [name, , matchers] of expression.matchAll(
        /\b((?:hearth|nodejs|process)_\w+)(\{([^}]*)\})?/g,
      )) {
        const metric = /^\w+/.exec(name)?.[0] ?? '';
        expect(series.has(metric), `${metric} in ${expression}`).toBe(true);
        const labels = series.get(metric);
        const used = [...(matchers ?? '').matchAll(/(\w+)(?:=|!)/g)].map(([, label = '']) => label);
        if (labels === undefined) continue;
        expect([...labels, 'job', 'instance']).toEqual(expect.arrayContaining(used));
      }
    }
  });
});

const howToInstall = 'promtool is missing; on Debian: apt-get install prometheus';
const hasPromtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
);

describe('promtool', () => {
  it('accepts the configuration and the rules', async ({ skip }) => {
    skip(!hasPromtool, howToInstall);
    const check = promisify(execFile);
    const config = join(deploy, 'prometheus/prometheus.yml');
    expect((await check('promtool', ['check', 'config', config])).stdout).toContain('SUCCESS');
  });

  it('fires each alert, and none for a server that is well', async ({ skip }) => {
    const file = join(deploy, 'prometheus/hearth-alerts.test.yml');
    const [first, ...others] = (parse(await readFile(file, 'utf8')) as RuleTests).tests;
    const alerts = (await readRules()).map(({ alert }) => alert);
    expect(first?.alert_rule_test.map(({ alertname }) => alertname).toSorted()).toEqual(
      alerts.toSorted(),
    );
    const firing = others
      .flatMap(({ alert_rule_test: cases }) => cases)
      .filter(({ exp_alerts: expected }) => expected !== undefined)
      .map(({ alertname }) => alertname);
    expect(firing.toSorted()).toEqual(alerts.toSorted());
    skip(!hasPromtool, howToInstall);
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file]);
    expect(stdout).toContain('SUCCESS');
  });

  it('accepts the metrics', async ({ skip }) => {
    skip(!hasPromtool, howToInstall);
    const metrics = new ServerMetrics({
      events: new ServerEvents(() => {}),
      version: '1.2.3',
      instances: async () => [],
      memory: () => ({ availableBytes: 1, reservedBytes: 1 }),
      folders: { home: projectFolder },
    });
    const text = await metrics.read('prometheus');
    const child = execFile('promtool', ['check', 'metrics']);
    child.stdin?.end(text);
    let problems = '';
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      problems += part;
    });
    await new Promise((resolve) => {
      child.once('close', resolve);
    });
    // Metrics of Node.js that prom-client defines are not ours to rename.
    const ours = problems.split('\n').filter((line) => line.includes('hearth'));
    expect(ours).toEqual([]);
  });
});
