import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseMetrics } from '../../../test/setup/observability/prometheus-text.ts';
import { RequestRecord } from '../../kernel/request/request-record.ts';
import { ServerEvents } from '../../kernel/events/server-events.ts';
import { ServerMetrics, type InstanceMetrics, type ReplicaMetrics } from './server-metrics.ts';

const instance: InstanceMetrics = {
  instanceId: 'a/b',
  model: 'a/b',
  state: 'ready',
  runningRequests: 2,
  waitingRequests: 1,
  estimatedBytes: 100,
  residentBytes: 90,
};

function setUp() {
  const events = new ServerEvents((error) => {
    throw error;
  });
  let instances: readonly InstanceMetrics[] = [];
  let replicas: readonly ReplicaMetrics[] = [];
  const metrics = new ServerMetrics({
    events,
    version: '1.2.3',
    instances: async () => instances,
    replicas: () => replicas,
    memory: () => ({ availableBytes: 7, reservedBytes: 5 }),
    folders: { home: tmpdir(), models: join(tmpdir(), 'missing') },
  });
  const begin = (model = 'a/b'): RequestRecord => {
    const record = new RequestRecord({ requestId: 'r', method: 'POST', path: '/x', events });
    record.begin('/x/{id}', null);
    record.useInstance(model, model);
    return record;
  };
  async function read(): Promise<Readonly<Record<string, number>>> {
    const samples = parseMetrics(await metrics.read('prometheus'));
    return Object.fromEntries(
      samples.map(({ name, labels, value }) => {
        const values = Object.keys(labels)
          .toSorted()
          .map((label) => labels[label]);
        return [[name, ...values].join(' '), value];
      }),
    );
  }
  return {
    events,
    metrics,
    begin,
    read,
    setInstances: (next: readonly InstanceMetrics[]) => {
      instances = next;
    },
    setReplicas: (next: readonly ReplicaMetrics[]) => {
      replicas = next;
    },
  };
}

it('counts requests, generations, tokens and the time between them', async () => {
  const { begin, read } = setUp();
  const record = begin();
  record.caller = { tokenId: 't', name: 'lab' };
  record.beginPhase({ name: 'queue' }).end();
  const generation = record.beginGeneration('chat');
  for (let count = 0; count < 4; count += 1) generation.noteTokens();
  const drafts = { proposedTokens: 9, acceptedTokens: 3 };
  const usage = { promptTokens: 31, cachedTokens: 12, completionTokens: 5, drafts };
  generation.end({ usage, stopReason: 'eosFound' });
  generation.end({ hasFailed: true });
  record.finish(200, true);
  expect(await read()).toMatchObject({
    'hearth_http_requests_total POST /x/{id} 200': 1,
    'hearth_http_request_duration_seconds_count /x/{id}': 1,
    'hearth_e2e_request_latency_seconds_count a/b': 1,
    'hearth_request_queue_time_seconds_count a/b': 1,
    'hearth_generations_total eosFound a/b chat': 1,
    'hearth_prompt_tokens_total a/b': 31,
    'hearth_prompt_tokens_cached_total a/b': 12,
    'hearth_generation_tokens_total a/b': 5,
    'hearth_usage_requests_total a/b lab': 1,
    'hearth_usage_tokens_total prompt a/b lab': 31,
    'hearth_usage_tokens_total cached_prompt a/b lab': 12,
    'hearth_usage_tokens_total completion a/b lab': 5,
    'hearth_draft_tokens_total a/b': 9,
    'hearth_draft_tokens_accepted_total a/b': 3,
    'hearth_time_to_first_token_seconds_count a/b': 1,
    'hearth_inter_token_latency_seconds_count a/b': 3,
    'hearth_inter_token_latency_seconds_bucket +Inf a/b': 3,
    'hearth_request_prefill_time_seconds_count a/b': 1,
    'hearth_request_decode_time_seconds_count a/b': 1,
    'hearth_build_info 1.2.3': 1,
  });
});

it('counts generations that failed with the tokens that arrived', async () => {
  const { begin, read } = setUp();
  const generation = begin().beginGeneration('chat');
  generation.noteTokens();
  generation.noteTokens();
  generation.end({ hasFailed: true });
  expect(await read()).toMatchObject({
    'hearth_generations_total error a/b chat': 1,
    'hearth_generation_tokens_total a/b': 2,
  });
});

it('counts loads, evictions, crashes, downloads and tool calls', async () => {
  const { events, begin, read } = setUp();
  const subject = { instanceId: 'a/b', model: 'a/b' };
  events.publish({ type: 'instance.ready', ...subject, loadTimeSeconds: 2 });
  events.publish({ type: 'instance.failed', ...subject, error: { code: 'x', message: 'y' } });
  events.publish({ type: 'instance.evicted', ...subject, cause: 'memory', reason: '' });
  events.publish({ type: 'instance.crashed', ...subject, cause: 'crash', reason: '' });
  const download = (type: 'started' | 'progress' | 'completed', downloadedBytes: number) =>
    events.publish({ type: `download.${type}`, jobId: 'job_1', downloadedBytes });
  download('started', 40);
  download('progress', 60);
  expect(await read()).toMatchObject({ hearth_downloads_active: 1 });
  download('completed', 100);
  const tool = { name: 'tool', tool: 'x', provider: 'mcp/y', providerType: 'plugin' } as const;
  begin().beginPhase(tool).end({ hasFailed: true });
  expect(await read()).toMatchObject({
    'hearth_model_loads_total a/b success': 1,
    'hearth_model_loads_total a/b error': 1,
    'hearth_model_load_duration_seconds_sum a/b': 2,
    'hearth_evictions_total memory': 1,
    'hearth_engine_crashes_total crash a/b': 1,
    'hearth_downloads_total completed': 1,
    hearth_download_bytes_total: 60,
    hearth_downloads_active: 0,
    'hearth_tool_calls_total plugin error': 1,
  });
});

it('shows the instances of now, and no series of earlier ones', async () => {
  const { read, setInstances } = setUp();
  setInstances([instance, { ...instance, instanceId: 'a/b:2', residentBytes: undefined }]);
  expect(await read()).toMatchObject({
    'hearth_num_requests_running a/b': 4,
    'hearth_num_requests_waiting a/b': 2,
    'hearth_instances ready': 2,
    'hearth_instance_estimated_bytes a/b:2 a/b': 100,
    hearth_memory_available_bytes: 7,
    'hearth_disk_available_bytes home': expect.any(Number) as number,
    'hearth_disk_available_bytes models': Number.NaN,
  });
  setInstances([]);
  const after = await read();
  expect(after).toMatchObject({ 'hearth_instances ready': 0 });
  expect(Object.keys(after).some((series) => series.includes('a/b'))).toBe(false);
});

it('bounds the series, whatever clients send and however many models there are', async () => {
  const { events, begin, read } = setUp();
  for (let count = 0; count < 300; count += 1) {
    begin(`model/${count}`).beginGeneration('chat').end({});
    const request = { requestId: 'r', method: `METHOD${count}`, path: `/${count}`, events };
    new RequestRecord(request).finish(404, true);
  }
  const samples = await read();
  const models = Object.keys(samples).filter((name) => name.startsWith('hearth_generations_total'));
  expect(models).toHaveLength(201);
  expect(samples['hearth_generations_total none other chat']).toBe(100);
  expect(samples['hearth_http_requests_total other none 404']).toBe(300);
});

it('shows the replicas of a remote server until it is removed', async () => {
  const { read, setReplicas } = setUp();
  const up = 'hearth_upstream_replica_up http://gpu:1 lab';
  const running = 'hearth_upstream_requests_running http://gpu:1 lab';
  const replica = { upstream: 'lab', url: 'http://gpu:1', isAvailable: false, activeRequests: 2 };
  setReplicas([replica]);
  expect(await read()).toMatchObject({ [up]: 0, [running]: 2 });
  setReplicas([]);
  const left = Object.keys(await read()).filter((name) => name.startsWith('hearth_upstream'));
  expect(left).toEqual([]);
});
