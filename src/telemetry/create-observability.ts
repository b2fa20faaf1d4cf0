import type { Logger } from '../kernel/logger.ts';
import { ServerMetrics, type MetricsOptions } from './metrics/server-metrics.ts';
import { RequestLog } from './request-log.ts';
import { ServerEvents } from '../kernel/events/server-events.ts';

interface ObservabilityOptions {
  readonly logger: Logger;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: {
    readonly 'log.prompts': boolean;
    readonly 'tracing.endpoint': string | undefined;
    readonly 'tracing.prompts': boolean;
  };
}

/** Number of requests that `GET /api/v1/requests` can list. */
const requestCount = 200;

/** Creates the server's events and their listeners: the request log, and traces if a collector is configured. */
export async function createObservability(options: ObservabilityOptions) {
  const { logger, version, environment, settings } = options;
  const events = new ServerEvents((err) => logger.error({ err }, 'event not processed'));
  const requestLog = new RequestLog({ events, capacity: requestCount });
  const endpoint = settings['tracing.endpoint'];
  const stopTracing = endpoint === undefined ? async () => {} : await trace(endpoint);

  async function trace(collector: string): Promise<() => Promise<void>> {
    // The SDK takes half a second to load.
    const { startTracing } = await import('./traces/start-tracing.ts');
    return startTracing({
      events,
      endpoint: collector,
      serviceName: environment['OTEL_SERVICE_NAME'] ?? 'hearth',
      version,
      hasPrompts: settings['tracing.prompts'],
      logger,
    });
  }

  return {
    events,
    requestLog,
    observation: {
      events,
      keepsPrompts: settings['log.prompts'],
      isTraced: endpoint !== undefined,
    },
    createMetrics: (
      sources: Pick<MetricsOptions, 'instances' | 'memory' | 'replicas' | 'folders'>,
    ) => new ServerMetrics({ events, version, ...sources }),
    close: stopTracing,
  };
}
