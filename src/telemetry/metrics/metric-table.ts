import { intervalBounds } from '../../kernel/request/request-record.ts';

export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** Equivalent metrics of other servers. */
  readonly alike?: readonly string[];
}

const seconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const loadSeconds = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600];

/** The metrics of Hearth, by name. `docs/observability.md` shows this table. */
export const metricTable = {
  hearth_http_requests_total: {
    type: 'counter',
    help: 'Requests that have ended; route is "none" without an endpoint.',
    labels: ['method', 'route', 'status'],
  },
  hearth_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of requests until their response was sent.',
    labels: ['route'],
    buckets: seconds,
  },
  hearth_num_requests_running: {
    type: 'gauge',
    help: 'Requests that use a slot of an instance.',
    labels: ['model'],
    alike: ['vllm:num_requests_running', 'llamacpp:requests_processing'],
  },
  hearth_num_requests_waiting: {
    type: 'gauge',
    help: 'Requests that wait for a slot or for the load of a model.',
    labels: ['model'],
    alike: ['vllm:num_requests_waiting', 'llamacpp:requests_deferred'],
  },
  hearth_e2e_request_latency_seconds: {
    type: 'histogram',
    help: 'Duration of requests that use a model.',
    labels: ['model'],
    buckets: seconds,
    alike: ['vllm:e2e_request_latency_seconds'],
  },
  hearth_request_queue_time_seconds: {
    type: 'histogram',
    help: 'Time that requests wait for a slot, and for memory.',
    labels: ['model'],
    buckets: seconds,
    alike: ['vllm:request_queue_time_seconds'],
  },
  hearth_time_to_first_token_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request to its first token, queues and loads included.',
    labels: ['model'],
    buckets: seconds,
    alike: ['vllm:time_to_first_token_seconds'],
  },
  hearth_inter_token_latency_seconds: {
    type: 'histogram',
    help: 'Time between two pieces of output of a generation, usually tokens.',
    labels: ['model'],
    buckets: intervalBounds,
    alike: ['vllm:inter_token_latency_seconds'],
  },
  hearth_request_prefill_time_seconds: {
    type: 'histogram',
    help: 'Time from the start of a generation to its first token.',
    labels: ['model'],
    buckets: seconds,
    alike: ['vllm:request_prefill_time_seconds', 'llamacpp:prompt_seconds_total'],
  },
  hearth_request_decode_time_seconds: {
    type: 'histogram',
    help: 'Time from the first token of a generation to its end.',
    labels: ['model'],
    buckets: seconds,
    alike: ['vllm:request_decode_time_seconds', 'llamacpp:tokens_predicted_seconds_total'],
  },
  hearth_prompt_tokens_total: {
    type: 'counter',
    help: 'Prompt tokens, those from the cache included.',
    labels: ['model'],
    alike: ['vllm:prompt_tokens_total', 'llamacpp:prompt_tokens_total'],
  },
  hearth_prompt_tokens_cached_total: {
    type: 'counter',
    help: 'Prompt tokens that engines had in their cache.',
    labels: ['model'],
    alike: ['vllm:prefix_cache_hits_total'],
  },
  hearth_draft_tokens_total: {
    type: 'counter',
    help: 'Tokens that speculation drafted.',
    labels: ['model'],
    alike: ['vllm:spec_decode_num_draft_tokens_total'],
  },
  hearth_draft_tokens_accepted_total: {
    type: 'counter',
    help: 'Drafted tokens that the model accepted.',
    labels: ['model'],
    alike: ['vllm:spec_decode_num_accepted_tokens_total'],
  },
  hearth_generation_tokens_total: {
    type: 'counter',
    help: 'Generated tokens.',
    labels: ['model'],
    alike: ['vllm:generation_tokens_total', 'llamacpp:tokens_predicted_total'],
  },
  hearth_usage_requests_total: {
    type: 'counter',
    help: 'Requests that used a model, by the name of their token; "none" without one.',
    labels: ['token', 'model'],
  },
  hearth_usage_tokens_total: {
    type: 'counter',
    help: 'Tokens of prompts and answers by the name of the API token; kind is prompt, cached_prompt or completion.',
    labels: ['token', 'model', 'kind'],
  },
  hearth_generations_total: {
    type: 'counter',
    help: 'Generations that have ended; a turn with tools has several.',
    labels: ['model', 'operation', 'finished_reason'],
    alike: ['vllm:request_success_total'],
  },
  hearth_instances: {
    type: 'gauge',
    help: 'Instances of models by state.',
    labels: ['state'],
  },
  hearth_instance_estimated_bytes: {
    type: 'gauge',
    help: 'Memory reserved for an instance.',
    labels: ['instance', 'model'],
  },
  hearth_instance_resident_bytes: {
    type: 'gauge',
    help: 'Resident memory of the process of an instance.',
    labels: ['instance', 'model'],
  },
  hearth_memory_available_bytes: {
    type: 'gauge',
    help: 'Memory that a new process could use.',
    labels: [],
  },
  hearth_memory_reserved_bytes: {
    type: 'gauge',
    help: 'Memory reserved for all instances.',
    labels: [],
  },
  hearth_disk_available_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the home folder and of the models.',
    labels: ['folder'],
  },
  hearth_model_loads_total: {
    type: 'counter',
    help: 'Loads of models that have ended.',
    labels: ['model', 'result'],
  },
  hearth_model_load_duration_seconds: {
    type: 'histogram',
    help: 'Duration of loads that succeeded.',
    labels: ['model'],
    buckets: loadSeconds,
  },
  hearth_evictions_total: {
    type: 'counter',
    help: 'Instances that were unloaded by themselves: idle for their TTL, for memory, or replaced.',
    labels: ['cause'],
  },
  hearth_engine_crashes_total: {
    type: 'counter',
    help: 'Engines that stopped by themselves or that the memory guard ended; the next request loads them again.',
    labels: ['model', 'cause'],
  },
  hearth_failovers_total: {
    type: 'counter',
    help: 'Models of a chain that requests passed over, with the model that they used in the end.',
    labels: ['from', 'to', 'reason'],
  },
  hearth_downloads_active: {
    type: 'gauge',
    help: 'Downloads that run.',
    labels: [],
  },
  hearth_downloads_total: {
    type: 'counter',
    help: 'Downloads that have ended.',
    labels: ['result'],
  },
  hearth_download_bytes_total: {
    type: 'counter',
    help: 'Bytes of models that were downloaded.',
    labels: [],
  },
  hearth_tool_calls_total: {
    type: 'counter',
    help: 'Tool calls of models that the server has run.',
    labels: ['provider_type', 'result'],
  },
  hearth_tool_call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of tool calls.',
    labels: ['provider_type'],
    buckets: seconds,
  },
  hearth_upstream_replica_up: {
    type: 'gauge',
    help: 'Whether requests are sent to a replica of a remote server: 0 after repeated failures.',
    labels: ['upstream', 'replica'],
  },
  hearth_upstream_requests_running: {
    type: 'gauge',
    help: 'Requests that a replica of a remote server works on.',
    labels: ['upstream', 'replica'],
  },
  hearth_build_info: {
    type: 'gauge',
    help: 'Version of the server; always 1.',
    labels: ['version'],
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

export type MetricName = keyof typeof metricTable;
