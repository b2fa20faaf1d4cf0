import type { InstanceMetrics } from '../telemetry/metrics/server-metrics.ts';
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
