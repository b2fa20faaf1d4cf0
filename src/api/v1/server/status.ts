import { isInScope } from '../../../kernel/model-scope.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { getStatus, type InstanceStatus, stopServer } from './status-schema.ts';
import type { InstanceDescription } from '../../../engines/loads/instance-summary.ts';
import { type App, mount } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { nameV1Field } from '../errors.ts';
import { toChosenConfig, toModelType, toPlacement } from '../models/model-record.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';

export function mountStatus(app: App, { pool, runtimes, server }: ApiServices): void {
  mount(app, getStatus, async ({ context }) => {
    const { reservedBytes, limitBytes, availableBytes } = pool.memory();
    const runtime = await runtimes.resolve('gguf');
    return {
      version: server.version,
      pid: server.pid,
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
        resident_bytes: server.residentBytes(),
        available_bytes: availableBytes,
        reserved_bytes: reservedBytes,
        ...omitUndefined({ limit_bytes: limitBytes }),
      },
      instances: (await pool.describe())
        .map(toInstanceStatus)
        .filter(({ model }) => isInScope(context.caller.modelScope, model)),
    };
  });
}

export function toInstanceStatus(instance: InstanceDescription): InstanceStatus {
  const { loadedAt, ttlSeconds, idleSeconds } = instance;
  return {
    id: instance.id,
    model: instance.selection.model.key,
    type: toModelType(instance.selection.model),
    state: instance.state,
    loaded_by: instance.isExplicit ? 'name' : 'request',
    pinned: instance.isPinned,
    config: toChosenConfig(instance.config),
    ...toPlacement(instance.placement),
    ...(instance.changedOptions.length > 0 && {
      changed_settings: instance.changedOptions.map(nameV1Field),
    }),
    active_requests: instance.activeRequests,
    queued_requests: instance.queuedRequests,
    estimated_bytes: instance.estimatedBytes,
    ...omitUndefined({
      profile: instance.selection.alias,
      resident_bytes: instance.stats.residentBytes,
      chosen_speculation: instance.stats.chosenSpeculation,
      loaded_at: loadedAt?.toISOString(),
      ttl_seconds: ttlSeconds,
      idle_seconds: idleSeconds,
    }),
  };
}

/** Stops the server for `hearth server stop`, since Windows has no signal for it. */
export function mountStopServer(app: App, { server }: Pick<ApiServices, 'server'>): void {
  mount(app, stopServer, async ({ context: { caller, logger } }) => {
    if (caller.identity?.type !== 'owner') {
      throw new HearthError(
        'forbidden',
        'Only the owner of the home folder may stop the server, with `hearth server stop` on its machine.',
      );
    }
    logger.info('the owner stops the server');
    server.stop();
    return { pid: server.pid, stopping: true as const };
  });
}
