import type { Upstreams } from '../engines/backends/remote/upstreams.ts';
import type { InstanceMetrics, ReplicaMetrics } from '../telemetry/metrics/server-metrics.ts';
import type { InstanceDescription } from '../engines/loads/instance-summary.ts';

/** Figures of an instance for the server's metrics. */
export function toInstanceMetrics(instance: InstanceDescription): InstanceMetrics {
  return {
    instanceId: instance.id,
    model: instance.selection.model.key,
    state: instance.state,
    runningRequests: instance.activeRequests,
    waitingRequests: instance.queuedRequests,
    estimatedBytes: instance.estimatedBytes,
    residentBytes: instance.stats.residentBytes,
  };
}

/** The state of all replicas, without the credentials in their URLs. */
export function toReplicaMetrics(
  upstreams: Pick<Upstreams, 'describe'>,
): readonly ReplicaMetrics[] {
  return upstreams.describe().flatMap(({ name, replicas }) =>
    replicas.map(({ url, state, active }) => ({
      upstream: name,
      url: new URL(url).origin,
      isAvailable: state === 'closed',
      activeRequests: active,
    })),
  );
}
