import { statfs } from 'node:fs/promises';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client';
import {
  generatesText,
  intervalBounds,
  TokenIntervals,
  type GenerationRecord,
  type Phase,
  type RequestRecord,
} from '../../kernel/request/request-record.ts';
import type { DownloadEvent, ServerEvent } from '../../kernel/events/server-event.ts';
import type { ServerEvents } from '../../kernel/events/server-events.ts';
import { type MetricDeclaration, type MetricName, metricTable } from './metric-table.ts';

/** State of an instance at the time of reading. */
export interface InstanceMetrics {
  readonly instanceId: string;
  readonly model: string;
  readonly state: string;
  readonly runningRequests: number;
  readonly waitingRequests: number;
  readonly estimatedBytes: number;
  readonly residentBytes: number | undefined;
}

/** One address of a remote server. */
export interface ReplicaMetrics {
  readonly upstream: string;
  readonly url: string;
  /** True if the replica gets requests. */
  readonly isAvailable: boolean;
  readonly activeRequests: number;
}

export interface MetricsOptions {
  readonly events: Pick<ServerEvents, 'subscribe'>;
  readonly version: string;
  readonly instances: () => Promise<readonly InstanceMetrics[]>;
  readonly replicas?: () => readonly ReplicaMetrics[];
  readonly memory: () => { readonly availableBytes: number; readonly reservedBytes: number };
  /** Folders whose free disk space is reported, by name in the metrics. */
  readonly folders: Readonly<Record<string, string>>;
}

/** Resolution of the event-loop delay. */
const eventLoopPrecisionMs = 20;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The server's metrics in the formats of Prometheus. */
export class ServerMetrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  readonly #metrics = new Map<string, Metric>();
  readonly #tokenIntervals: TokenIntervalMetric;
  /** Limited, since model files come and go. */
  readonly #models = new LabelValues(200);
  readonly #tokens = new LabelValues(200);
  readonly #downloadedBytes = new Map<string, number>();
  #isMonitoringProcess = false;

  constructor(options: MetricsOptions) {
    this.#options = options;
    const name = 'hearth_inter_token_latency_seconds';
    this.#tokenIntervals = new TokenIntervalMetric(name, metricTable[name].help);
    for (const [each, declaration] of Object.entries(metricTable)) {
      if (each !== name) this.#metrics.set(each, createMetric(each, declaration, this.#registry));
    }
    this.#registry.registerMetric(this.#tokenIntervals as unknown as Metric);
    this.#set('hearth_build_info', { version: options.version }, 1);
    options.events.subscribe(this.#record);
  }

  /** Returns the metrics in Prometheus's text format or as OpenMetrics. */
  async read(format: 'prometheus' | 'openmetrics'): Promise<string> {
    this.#monitorProcess();
    await this.#readState();
    const text = await this.#registry.metrics();
    return format === 'openmetrics' ? toOpenMetrics(text) : text;
  }

  /** Starts with the first read, since the timer that measures the event loop wakes the process 50 times a second. */
  #monitorProcess(): void {
    if (this.#isMonitoringProcess) return;
    this.#isMonitoringProcess = true;
    collectDefaultMetrics({
      register: this.#registry,
      eventLoopMonitoringPrecision: eventLoopPrecisionMs,
    });
  }

  async #readState(): Promise<void> {
    const instances = await this.#options.instances();
    const { availableBytes, reservedBytes } = this.#options.memory();
    this.#set('hearth_memory_available_bytes', {}, availableBytes);
    this.#set('hearth_memory_reserved_bytes', {}, reservedBytes);
    this.#set('hearth_downloads_active', {}, this.#downloadedBytes.size);
    await this.#readDisks();
    for (const name of passingGauges) this.#gauge(name).reset();
    this.#readReplicas();
    for (const state of ['waiting', 'loading', 'ready']) {
      const count = instances.filter((instance) => instance.state === state).length;
      this.#set('hearth_instances', { state }, count);
    }
    for (const each of instances) {
      const { instanceId, model, estimatedBytes, residentBytes } = each;
      const labels = { instance: instanceId, model };
      this.#gauge('hearth_num_requests_running').inc({ model }, each.runningRequests);
      this.#gauge('hearth_num_requests_waiting').inc({ model }, each.waitingRequests);
      this.#set('hearth_instance_estimated_bytes', labels, estimatedBytes);
      if (residentBytes !== undefined) {
        this.#set('hearth_instance_resident_bytes', labels, residentBytes);
      }
    }
  }

  #readReplicas(): void {
    for (const { upstream, url, isAvailable, activeRequests } of this.#options.replicas?.() ?? []) {
      const labels = { upstream, replica: url };
      this.#set('hearth_upstream_replica_up', labels, isAvailable ? 1 : 0);
      this.#set('hearth_upstream_requests_running', labels, activeRequests);
    }
  }

  async #readDisks(): Promise<void> {
    for (const [name, folder] of Object.entries(this.#options.folders)) {
      // NaN for a disk that was removed.
      const disk = await statfs(folder).catch(() => ({ bavail: Number.NaN, bsize: 1 }));
      this.#set('hearth_disk_available_bytes', { folder: name }, disk.bavail * disk.bsize);
    }
  }

  readonly #record = (event: ServerEvent): void => {
    switch (event.type) {
      case 'request.finished':
        return this.#recordRequest(event.record);
      case 'phase.ended':
        return this.#recordPhase(event.record, event.phase);
      case 'generation.ended':
        return this.#recordGeneration(event.record, event.generation);
      case 'instance.ready': {
        const model = this.#models.bound(event.model);
        this.#add('hearth_model_loads_total', { model, result: 'success' });
        this.#add('hearth_model_load_duration_seconds', { model }, event.loadTimeSeconds);
        return;
      }
      case 'instance.failed': {
        const model = this.#models.bound(event.model);
        return this.#add('hearth_model_loads_total', { model, result: 'error' });
      }
      case 'instance.evicted':
        return this.#add('hearth_evictions_total', { cause: event.cause });
      case 'instance.crashed': {
        const { cause } = event;
        const model = this.#models.bound(event.model);
        return this.#add('hearth_engine_crashes_total', { model, cause });
      }
      case 'download.started':
      case 'download.progress':
      case 'download.paused':
      case 'download.completed':
      case 'download.failed':
      case 'download.cancelled':
        return this.#recordDownload(event);
      default:
    }
  };

  #recordRequest(record: RequestRecord): void {
    const { method, route, status, durationSeconds = 0, model, tried } = record;
    const labels = {
      method: methods.has(method) ? method : 'other',
      route: route ?? 'none',
      status: String(status),
    };
    this.#add('hearth_http_requests_total', labels);
    const { route: ofRoute } = labels;
    this.#add('hearth_http_request_duration_seconds', { route: ofRoute }, durationSeconds);
    if (model === undefined) return;
    const ofModel = { model: this.#models.bound(model) };
    this.#add('hearth_e2e_request_latency_seconds', ofModel, durationSeconds);
    this.#add('hearth_usage_requests_total', { ...ofModel, token: this.#tokenOf(record) });
    for (const { model: from, reason } of tried) {
      const passed = { from: this.#models.bound(from), to: ofModel.model, reason };
      this.#add('hearth_failovers_total', passed);
    }
  }

  #recordPhase(record: RequestRecord, { subject, seconds, hasFailed }: Phase): void {
    if (subject.name === 'queue') {
      const labels = { model: this.#models.bound(record.model ?? 'none') };
      this.#add('hearth_request_queue_time_seconds', labels, seconds);
    } else if (subject.name === 'tool') {
      const labels = { provider_type: subject.providerType };
      const result = hasFailed ? 'error' : 'success';
      this.#add('hearth_tool_calls_total', { ...labels, result });
      this.#add('hearth_tool_call_duration_seconds', labels, seconds);
    }
  }

  #recordGeneration(record: RequestRecord, generation: GenerationRecord): void {
    const { operation, startMs, endMs = startMs, firstTokenMs, outcome } = generation;
    const model = this.#models.bound(record.model ?? 'none');
    const { stopReason, hasFailed = false } = outcome;
    this.#add('hearth_generations_total', {
      model,
      operation,
      finished_reason: hasFailed ? 'error' : (stopReason ?? 'none'),
    });
    const { prompt, cached, completion } = generation.tokens;
    this.#add('hearth_prompt_tokens_total', { model }, prompt);
    const usage = { model, token: this.#tokenOf(record) };
    for (const [kind, count] of Object.entries({ prompt, cached_prompt: cached, completion })) {
      this.#add('hearth_usage_tokens_total', { ...usage, kind }, count);
    }
    if (!generatesText(operation)) return;
    this.#add('hearth_prompt_tokens_cached_total', { model }, cached);
    this.#add('hearth_generation_tokens_total', { model }, completion);
    const { drafts } = outcome.usage ?? {};
    if (drafts !== undefined) {
      this.#add('hearth_draft_tokens_total', { model }, drafts.proposedTokens);
      this.#add('hearth_draft_tokens_accepted_total', { model }, drafts.acceptedTokens);
    }
    this.#tokenIntervals.merge(model, generation.intervals);
    if (firstTokenMs === undefined) return;
    const prefillSeconds = (firstTokenMs - startMs) / 1000;
    this.#add('hearth_request_prefill_time_seconds', { model }, prefillSeconds);
    const decodeSeconds = (endMs - firstTokenMs) / 1000;
    this.#add('hearth_request_decode_time_seconds', { model }, decodeSeconds);
    if (record.firstTokenMs !== firstTokenMs) return;
    const waitedSeconds = (firstTokenMs - record.startMs) / 1000;
    this.#add('hearth_time_to_first_token_seconds', { model }, waitedSeconds);
  }

  #tokenOf({ caller }: RequestRecord): string {
    return caller === null ? 'none' : this.#tokens.bound(caller.name);
  }

  /** Counts the bytes of a download; a resumed job starts with the bytes that it already has. */
  #recordDownload({ type, jobId, downloadedBytes }: DownloadEvent): void {
    const before = this.#downloadedBytes.get(jobId);
    if (before !== undefined && downloadedBytes > before) {
      this.#add('hearth_download_bytes_total', {}, downloadedBytes - before);
    }
    if (type === 'download.started' || type === 'download.progress') {
      this.#downloadedBytes.set(jobId, downloadedBytes);
      return;
    }
    this.#downloadedBytes.delete(jobId);
    const result = type.slice('download.'.length);
    if (type !== 'download.paused') this.#add('hearth_downloads_total', { result });
  }

  /** Increases a counter, or adds a value to a histogram. */
  #add(name: MetricName, labels: Readonly<Record<string, string>>, amount = 1): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Counter) metric.inc(labels, amount);
    else if (metric instanceof Histogram) metric.observe(labels, amount);
  }

  #set(name: MetricName, labels: Readonly<Record<string, string>>, value: number): void {
    this.#gauge(name).set(labels, value);
  }

  #gauge(name: MetricName): Gauge {
    const metric = this.#metrics.get(name);
    if (metric instanceof Gauge) return metric;
    throw new TypeError(`${name} is not a gauge`);
  }
}

/** Gauges whose series end with their instance or their remote server. */
const passingGauges = [
  'hearth_upstream_replica_up',
  'hearth_upstream_requests_running',
  'hearth_num_requests_running',
  'hearth_num_requests_waiting',
  'hearth_instance_estimated_bytes',
  'hearth_instance_resident_bytes',
] as const satisfies readonly MetricName[];

function createMetric(name: string, declaration: MetricDeclaration, registry: Registry): Metric {
  const { type, help, labels, buckets = [] } = declaration;
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'counter') return new Counter(options);
  if (type === 'gauge') return new Gauge(options);
  return new Histogram({ ...options, buckets: [...buckets] });
}

/** Limits the number of a label's values: all after the first `capacity` become `other`. */
class LabelValues {
  readonly #capacity: number;
  readonly #values = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  bound(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.#capacity) return 'other';
    this.#values.add(value);
    return value;
  }
}

/** Histogram of the time between tokens, with the methods that prom-client's registry calls. */
class TokenIntervalMetric {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #byModel = new Map<string, TokenIntervals>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  merge(model: string, intervals: TokenIntervals): void {
    let sum = this.#byModel.get(model);
    if (sum === undefined) this.#byModel.set(model, (sum = new TokenIntervals()));
    sum.merge(intervals);
  }

  async get() {
    const { name, help, type } = this;
    const values = [...this.#byModel].flatMap(([model, intervals]) =>
      toValues(name, model, intervals),
    );
    return { name, help, type, values, aggregator: 'sum' };
  }
}

function toValues(name: string, model: string, { counts, sumSeconds }: TokenIntervals) {
  let count = 0;
  const buckets = [...intervalBounds, '+Inf' as const].map((bound, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le: bound, model }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { model }, value: sumSeconds },
    { metricName: `${name}_count`, labels: { model }, value: count },
  ];
}

/**
 * Converts Prometheus's text format to OpenMetrics 1.0, where a counter's name has no `_total` but its samples do.
 * prom-client itself would rename its metrics permanently.
 */
function toOpenMetrics(text: string): string {
  const counters = new Set(
    [...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, name]) => name),
  );
  const renamed = text.replace(
    /^(# (?:TYPE|HELP) )(\S+)_total /gm,
    (whole, start: string, name: string) => (counters.has(name) ? `${start}${name} ` : whole),
  );
  return `${renamed.replace(/\n{2,}/g, '\n').trim()}\n# EOF\n`;
}
