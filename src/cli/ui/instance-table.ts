import type { InstanceStatus } from '../../api/v1/server/status-schema.ts';
import { formatBytes, formatDuration } from '../../kernel/format.ts';
import { contextSize } from './context-text.ts';
import { writeTable } from './table.ts';
import type { TerminalStream } from './terminal.ts';

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

/** `20.0 s of 1 h`: idle time, and the idle time after which the instance is unloaded. */
function formatIdle({ idle_seconds: idle, ttl_seconds: ttl }: InstanceStatus): string {
  const limit = ttl === undefined ? '' : ` of ${formatDuration(ttl)}`;
  return idle === undefined ? '-' : `${formatDuration(idle)}${limit}`;
}
