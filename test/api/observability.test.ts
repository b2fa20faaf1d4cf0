import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import {
  serverEventSchema,
  type ServerEvent,
} from '../../src/api/v1/server/server-event-schema.ts';
import type { RequestDetails, RequestSummary } from '../../src/api/v1/server/request-schema.ts';
import { metricTable } from '../../src/telemetry/metrics/metric-table.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';
import { startOtlpCollector, valuesOf } from '../setup/observability/otlp-collector.ts';
import { startPrometheus } from '../setup/observability/prometheus-server.ts';
import { parseMetrics } from '../setup/observability/prometheus-text.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { get, post } from '../setup/server/api.ts';
import { followStream, openStream, type LiveStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const model = 'hearth/starter-chat';
const script = [{ calls: [['get_weather', '{"city":"Brest"}']] }, { text: 'Sunny in Brest.' }];
const client = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${client.traceId}-${client.spanId}-01`;

let harbour: Harbour;
let owner: { readonly authorization: string };
let reader: { readonly authorization: string };
const collector = useResource(startOtlpCollector);

const hearth = useHearth(async (home) => {
  harbour = await addHarbour(home);
  owner = await harbour.bearer('admin');
  reader = await harbour.bearer('models:read');
  const program = await writeScriptedEngine(home);
  return {
    flags: [
      '--auth-required',
      '--mcp-allow-plugins',
      '--log-prompts',
      '--tracing-prompts',
      `--engine-llama-server=${program}`,
    ],
    environment: {
      HEARTH_TRACING_ENDPOINT: collector.url,
      // The default of five seconds is long for a test.
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  };
});

async function next(events: LiveStream, text: string): Promise<ServerEvent> {
  const event = await events.until(text);
  return serverEventSchema.parse(JSON.parse(event.data));
}

// covers server-6
it('tells followers about loads and requests, and remembers a request with its prompts', async () => {
  const ofOwner = await followStream(hearth.url, '/api/v1/events', { headers: owner });
  const ofReader = await followStream(hearth.url, '/api/v1/events', { headers: reader });
  expect(await next(ofOwner, 'events.snapshot')).toMatchObject({
    instances: [],
    downloads: [],
    requests: [],
  });
  const seen = await next(ofReader, 'events.snapshot');
  expect(seen).toMatchObject({ instances: [], downloads: [] });
  expect(seen).not.toHaveProperty('requests');

  const body = { model, input: JSON.stringify(script), integrations: ['mcp/harbour'] };
  const headers = { ...owner, 'x-request-id': 'seen-1', traceparent };
  const chat = await openStream(hearth.url, '/api/v1/chat', body, { headers });
  await chat.rest();

  const started = await next(ofOwner, 'request.started');
  expect(started).toMatchObject({ request: { state: 'running', request_id: 'seen-1' } });
  expect(await next(ofOwner, 'instance.loading')).toMatchObject({ model });
  expect(await next(ofOwner, 'instance.ready')).toMatchObject({ instance_id: model });
  const finished = await next(ofOwner, 'request.finished');
  const summary: Partial<RequestSummary> = {
    state: 'completed',
    route: '/api/v1/chat',
    status: 200,
    caller: { token_id: expect.any(String) as string, name: 'test' },
    operation: 'chat',
    model,
    stop_reason: 'eosFound',
    tool_calls: [
      {
        tool: 'get_weather',
        provider: 'mcp/harbour',
        failed: false,
        duration_seconds: expect.any(Number) as number,
      },
    ],
  };
  expect(finished).toMatchObject({ request: summary });
  expect(await next(ofReader, 'instance.')).toMatchObject({ type: 'instance.loading' });
  ofOwner.disconnect();
  ofReader.disconnect();

  const answer = await get(hearth.url, '/api/v1/requests/seen-1', { headers: owner });
  const details = answer.body as RequestDetails;
  expect(details).toMatchObject({
    ...summary,
    prompts_recorded: true,
    body: { model, integrations: ['mcp/harbour'], stream: true },
    generations: [
      { tool_calls: expect.stringContaining('get_weather {"city"') },
      { output: 'Sunny in Brest.', truncated: false },
    ],
  });
  expect(details.generations[1]?.prompt).toContain('get_weather');
  expect(details.load_seconds).toBeGreaterThan(0);
  expect(details.time_to_first_token_seconds).toBeGreaterThan(0);
  const listed = await get(hearth.url, `/api/v1/requests?limit=1&model=${model}`, {
    headers: owner,
  });
  expect(listed.body.requests).toMatchObject([{ id: details.id }]);
});

it.each([
  ['PATCH', '/api/v1/settings', { 'hub.token': 'hf_NeverShown' }],
  ['PUT', '/api/v1/mcp/servers/never', { command: 'true', env: { KEY: 'hf_NeverShown' } }],
])('remembers %s %s without its body, which has secrets', async (method, path, body) => {
  const id = `secret-${method}`;
  const { status } = await post(hearth.url, path, body, {
    method,
    headers: { ...owner, 'x-request-id': id },
  });
  expect(status).toBe(200);
  const details = await get(hearth.url, `/api/v1/requests/${id}`, { headers: owner });
  expect(details.body).toMatchObject({ request_id: id, path });
  expect(JSON.stringify(details.body)).not.toContain('NeverShown');
});

// covers server-6
it('keeps requests from callers without admin', async () => {
  for (const path of ['/api/v1/requests', '/api/v1/logs', '/api/v1/events?topics=requests']) {
    expect((await get(hearth.url, path, { headers: reader })).status).toBe(403);
  }
  expect((await get(hearth.url, '/metrics', { headers: reader })).status).toBe(403);
  expect((await get(hearth.url, '/metrics')).status).toBe(401);
  expect(
    (await get(hearth.url, '/api/v1/requests/nothing', { headers: owner })).body.error,
  ).toMatchObject({
    code: 'request_not_found',
  });
});

it('continues after the last event, and begins again with an id of another server', async () => {
  const first = await fetch(`${hearth.url}/api/v1/events`, { headers: owner });
  const begin = first.body?.getReader();
  const chunk = await begin?.read();
  await begin?.cancel();
  const id = /^id: (\S+)$/m.exec(Buffer.from(chunk?.value ?? []).toString())?.[1] ?? '';
  await post(hearth.url, '/api/v1/models/load', { model: 'nobody/nothing' }, { headers: owner });
  const missed = await followStream(hearth.url, '/api/v1/events', {
    headers: { ...owner, 'last-event-id': id },
  });
  const path = '"/api/v1/models/load"';
  expect(await next(missed, path)).toMatchObject({ type: 'request.started' });
  expect(await next(missed, path)).toMatchObject({
    type: 'request.finished',
    request: { state: 'failed', status: 404, error: { code: 'model_not_found' } },
  });
  missed.disconnect();
  const other = await followStream(hearth.url, '/api/v1/events', {
    headers: { ...owner, 'last-event-id': 'abcdef01-7' },
  });
  expect((await next(other, '"type"')).type).toBe('events.snapshot');
  other.disconnect();
});

// covers server-1
it('has metrics of all that happened, in both formats', async () => {
  const scraper = await harbour.bearer('metrics');
  const plain = await get(hearth.url, '/metrics', { headers: scraper });
  expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = parseMetrics(plain.body as string);
  const valueOf = (name: string, labels: object): number | undefined =>
    samples.find((each) => each.name === name && matches(each.labels, labels))?.value;
  expect(valueOf('hearth_tool_calls_total', { provider_type: 'plugin', result: 'success' })).toBe(
    1,
  );
  expect(valueOf('hearth_model_loads_total', { model, result: 'success' })).toBe(1);
  expect(valueOf('hearth_generations_total', { model, finished_reason: 'toolCalls' })).toBe(1);
  expect(valueOf('hearth_time_to_first_token_seconds_count', { model })).toBe(1);
  expect(valueOf('hearth_http_requests_total', { route: '/api/v1/chat', status: '200' })).toBe(1);
  expect(valueOf('hearth_instances', { state: 'ready' })).toBe(1);
  expect(valueOf('hearth_instance_resident_bytes', { instance: model })).toBeGreaterThan(0);
  expect(valueOf('nodejs_eventloop_lag_p99_seconds', {})).toBeDefined();
  for (const name of Object.keys(metricTable)) expect(plain.body).toContain(`# TYPE ${name} `);

  // The dashboard and the rules use no other metrics.
  const files = ['hearth-dashboard.json', 'hearth-alerts.yml'].map((name) =>
    readFile(join(projectFolder, 'deploy/helm/hearth/files', name), 'utf8'),
  );
  const named = (await Promise.all(files)).join().match(/\b(?:hearth|nodejs|process)_[a-z0-9_]+/g);
  const exported = new Set(
    [...(plain.body as string).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name),
  );
  for (const name of new Set(named)) {
    const metric = name.replace(/_(bucket|sum|count)$/, '');
    expect(exported.has(name) || exported.has(metric), name).toBe(true);
  }

  const open = await get(hearth.url, '/metrics', {
    headers: { ...scraper, accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' },
  });
  expect(open.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  expect(open.body).toMatch(/^# TYPE hearth_tool_calls counter$/m);
  expect(open.body).toMatch(/^hearth_tool_calls_total\{.*\} 1$/m);
  expect(open.body.endsWith('\n# EOF\n')).toBe(true);
  parseMetrics(open.body as string);
});

function matches(labels: Readonly<Record<string, string>>, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

it('is scraped by Prometheus, whose answers the dashboard and the alerts can use', async ({
  skip,
}) => {
  const isInstalled = await promisify(execFile)('prometheus', ['--version']).then(
    () => true,
    () => false,
  );
  skip(!isInstalled, 'prometheus is missing; on Debian: apt-get install prometheus');
  const { authorization } = await harbour.bearer('metrics');
  const prometheus = await startPrometheus({
    folder: join(hearth.home, 'prometheus'),
    target: new URL(hearth.url).host,
    token: authorization.slice('Bearer '.length),
    rulesFile: join(projectFolder, 'deploy/helm/hearth/files/hearth-alerts.yml'),
  });
  try {
    const calls = async () =>
      (await prometheus.query('hearth_tool_calls_total{result="success"}'))[0]?.value[1];
    await expect.poll(calls, { timeout: 20_000, interval: 100 }).toBe('1');
    const rules = await get(prometheus.url, '/api/v1/rules');
    expect(rules.body.data.groups[0].rules.length).toBeGreaterThan(5);
    const dashboard = JSON.parse(
      await readFile(join(projectFolder, 'deploy/helm/hearth/files/hearth-dashboard.json'), 'utf8'),
    ) as { panels: { targets: { expr: string }[] }[] };
    const filled = dashboard.panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }) =>
        expr.replaceAll(/\$(?:job|model)/g, '.*').replaceAll('$__rate_interval', '1m'),
      );
    for (const expression of filled) await prometheus.query(expression);
    expect(await prometheus.query(filled[23] ?? '')).toMatchObject([{ metric: { model } }]);
  } finally {
    await prometheus.close();
  }
});

// covers server-20
it('sends the span tree of a request to the collector, and its position to the tool server', async () => {
  const own = () => collector.spans.filter(({ traceId }) => traceId === client.traceId);
  await expect.poll(() => own().some(({ kind }) => kind === 2)).toBe(true);
  const byId = new Map(own().map((span) => [span.spanId, span]));
  const tree = own().map(({ name, parentSpanId = '' }) => {
    return `${byId.get(parentSpanId)?.name ?? parentSpanId} > ${name}`;
  });
  expect(tree.toSorted()).toEqual([
    `${client.spanId} > POST /api/v1/chat`,
    'POST /api/v1/chat > chat hearth/starter-chat',
    'POST /api/v1/chat > chat hearth/starter-chat',
    'POST /api/v1/chat > execute_tool get_weather',
    'POST /api/v1/chat > load',
    'POST /api/v1/chat > queue',
    'POST /api/v1/chat > store',
    'chat hearth/starter-chat > prefill',
    'chat hearth/starter-chat > prefill',
  ]);
  for (const { startTimeUnixNano, endTimeUnixNano } of own()) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
  const request = valuesOf(own().find(({ kind }) => kind === 2)?.attributes ?? []);
  expect(request).toMatchObject({ 'http.route': '/api/v1/chat', 'http.response.status_code': 200 });
  const last = own().findLast(({ name }) => name.startsWith('chat '));
  expect(valuesOf(last?.attributes ?? [])).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.response.finish_reasons': ['eosFound'],
    'gen_ai.output.messages': expect.stringContaining('Sunny in Brest.'),
  });
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'hearth' });

  const tool = own().find(({ name }) => name.startsWith('execute_tool'));
  const called = (await harbour.journal()).find((entry) => entry.called === 'get_weather');
  expect(called?.traceparent).toBe(`00-${client.traceId}-${tool?.spanId}-01`);
});

// covers server-19
it('shows the log with prompts, from the server and from the file of an earlier one', async () => {
  const { home } = hearth;
  const shown = await runHearth(['log', '--prompts', '--request', 'seen-1'], { home });
  expect(shown.stdout).toMatch(/prompt for hearth\/starter-chat \(request seen-1\)\n {2}\| /);
  expect(shown.stdout).toContain('output (eosFound)\n  | Sunny in Brest.\n');
  expect(shown.stdout).toMatch(/ chat hearth\/starter-chat 200 [\d.]+ m?s, /);
  const json = await runHearth(['log', '--json', '--model', model], { home });
  const lines = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string });
  expect(lines.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(['model loaded', 'generated', 'request']),
  );
  expect(lines.some(({ msg }) => msg === 'prompt' || msg === 'listening')).toBe(false);
  const log = await readFile(join(home, 'logs/server.log'), 'utf8').catch(() => undefined);
  expect(log).toBeUndefined();
});

it('stops at once while clients follow events and the log', async () => {
  const events = await followStream(hearth.url, '/api/v1/events', { headers: owner });
  await next(events, 'events.snapshot');
  const log = await followStream(hearth.url, '/api/v1/logs?follow=true&lines=0', {
    headers: owner,
  });
  expect(await hearth.stop()).toBe(0);
  await Promise.all([events.rest(), log.rest()]);
  expect(hearth.log()).not.toContain('aborting');
  const gone = await runHearth(['log'], { home: hearth.home });
  expect(gone).toMatchObject({ exitCode: 1, stdout: '' });
  expect(gone.stderr).toMatch(/not running.*There is no log of an earlier server either: /s);
  await hearth.restart();
});
