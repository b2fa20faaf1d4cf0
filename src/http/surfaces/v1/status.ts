import { omitUndefined } from '../../../omit-undefined.ts';
import { getStatus, type InstanceStatus } from '../../../contract/server/server.ts';
import type { Instance } from '../../../instances/instance.ts';
import { availableMemoryBytes } from '../../../instances/memory/available-bytes.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { toLoadConfig } from './record.ts';

export function mountStatus(app: App, { pool, runtimes, server }: SurfaceServices): void {
  mount(app, getStatus, async () => {
    const { reservedBytes, limitBytes } = pool.memory();
    const runtime = await runtimes.resolve('gguf');
    return {
      version: server.version,
      pid: process.pid,
      started_at: server.startedAt.toISOString(),
      home: server.home,
      runtime:
        runtime === undefined
          ? null
          : {
              name: runtime.name,
              version: runtime.version,
              supported_formats: [...runtime.supportedFormats],
            },
      memory: {
        resident_bytes: process.memoryUsage.rss(),
        available_bytes: availableMemoryBytes(),
        reserved_bytes: reservedBytes,
        ...omitUndefined({ limit_bytes: limitBytes }),
      },
      instances: await Promise.all(pool.list().map(toInstanceStatus)),
    };
  });
}

async function toInstanceStatus(instance: Instance): Promise<InstanceStatus> {
  const residentBytes = await instance.process?.residentBytes();
  const { loadedAt, ttlSeconds, idleSeconds } = instance;
  return {
    id: instance.id,
    model: instance.selection.model.key,
    type: instance.selection.model.type === 'embeddings' ? 'embedding' : 'llm',
    state: instance.state,
    loaded_by: instance.isExplicit ? 'name' : 'request',
    pinned: instance.isPinned,
    config: toLoadConfig(instance.config),
    active_requests: instance.slots.activeCount,
    queued_requests: instance.slots.waitingCount,
    estimated_bytes: instance.estimatedBytes,
    ...omitUndefined({
      resident_bytes: residentBytes,
      loaded_at: loadedAt?.toISOString(),
      ttl_seconds: ttlSeconds,
      idle_seconds: idleSeconds,
    }),
  };
}
