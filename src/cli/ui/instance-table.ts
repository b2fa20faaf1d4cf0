import type { ChosenConfig, ModelPlacement } from '../../api/v1/models/load-config-schema.ts';
import { formatBytes, formatCount, formatDuration } from '../../kernel/format.ts';
import type { InstanceStatus } from '../../api/v1/server/status-schema.ts';
import { writeTable } from './table.ts';
import type { TerminalStream } from './terminal.ts';

/** `32,768 x 2`: the context length, and the number of whole contexts that fit in the cache. */
export function contextSize({
  context_length: length,
  parallel = 1,
  cache_contexts: contexts = parallel,
}: ChosenConfig): string {
  return contexts === 1 ? formatCount(length) : `${formatCount(length)} x ${contexts}`;
}

/**
 * `32,768 x 2 (cache for 2 whole contexts, shared by 4 requests, 2.1 GB; chosen by free memory)`
 *
 * @param cacheBytes Size of the cache; 0 or absent if unknown.
 */
export function describeContext(config: ChosenConfig, cacheBytes = 0): string {
  const { context_length: length, parallel = 1, chosen_by_memory: chosen = [] } = config;
  const { cache_contexts: contexts = parallel } = config;
  const details = [
    contexts === 1 ? 'cache for one whole context' : `cache for ${contexts} whole contexts`,
    ...(contexts < parallel ? [`shared by ${parallel} requests`] : []),
    ...(cacheBytes > 0 ? [formatBytes(cacheBytes)] : []),
  ].join(', ');
  return `${formatCount(length)} x ${contexts} (${details}${reasonOf(chosen)})`;
}

function reasonOf(chosen: NonNullable<ChosenConfig['chosen_by_memory']>): string {
  if (chosen.length === 0) return '';
  if (chosen.length > 1) return '; chosen by free memory';
  const [what] = chosen;
  return `; ${what === 'context_length' ? 'context' : 'number of contexts'} chosen by free memory`;
}

/** `100% CUDA0, CUDA1`: the share of the layers that are on GPUs, and the GPUs. */
export function gpuShare({ gpu_layers: onGpus, layers, gpus }: ModelPlacement): string {
  const share = `${Math.floor((100 * onGpus) / layers)}%`;
  return [share, gpus.map(({ id }) => id).join(', ')].join(' ').trim();
}

/** `33 of 33 layers, experts of 12 layers in the memory of the machine` */
export function describeGpus(placement: ModelPlacement): string {
  const { gpu_layers: onGpus, layers, cpu_moe_layers: experts = 0 } = placement;
  const parts = [`${formatCount(onGpus)} of ${formatCount(layers)} layers`];
  if (experts > 0) {
    parts.push(`experts of ${formatCount(experts)} layers in the memory of the machine`);
  }
  if (placement.split_mode !== undefined) parts.push(`split by ${placement.split_mode}`);
  return parts.join(', ');
}

/** Writes the loaded instances, sorted by id. */
export function writeInstances(stream: TerminalStream, instances: readonly InstanceStatus[]): void {
  writeTable<InstanceStatus>(
    stream,
    [
      { title: 'INSTANCE', value: ({ id }) => id },
      { title: 'MODEL', dropOrder: 6, value: ({ model }) => model },
      { title: 'STATE', dropOrder: 9, value: ({ state }) => state },
      {
        title: 'CONTEXT',
        dropOrder: 5,
        value: ({ config }) => contextSize(config),
        isNumber: true,
      },
      {
        title: 'GPU',
        dropOrder: 5,
        value: ({ placement }) => (placement === undefined ? '-' : gpuShare(placement)),
      },
      {
        title: 'ACTIVE',
        dropOrder: 7,
        value: (instance) => String(instance.active_requests),
        isNumber: true,
      },
      {
        title: 'QUEUED',
        dropOrder: 4,
        value: (instance) => String(instance.queued_requests),
        isNumber: true,
      },
      {
        title: 'ESTIMATE',
        dropOrder: 1,
        value: (instance) => formatBytes(instance.estimated_bytes),
        isNumber: true,
      },
      {
        title: 'MEMORY',
        dropOrder: 8,
        value: (instance) =>
          instance.resident_bytes === undefined ? '-' : formatBytes(instance.resident_bytes),
        isNumber: true,
      },
      { title: 'KEPT', dropOrder: 2, value: formatKept },
      { title: 'IDLE', dropOrder: 3, value: formatIdle },
    ],
    instances.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

/** Why the scheduler does not evict the instance. */
function formatKept({ loaded_by, pinned }: InstanceStatus): string {
  if (pinned) return 'pinned';
  return loaded_by === 'name' ? 'loaded' : '-';
}

/** `20.0 s of 1 h`: the idle time so far, and the time after which the instance is unloaded. */
function formatIdle({ idle_seconds: idle, ttl_seconds: ttl }: InstanceStatus): string {
  const limit = ttl === undefined ? '' : ` of ${formatDuration(ttl)}`;
  return idle === undefined ? '-' : `${formatDuration(idle)}${limit}`;
}
