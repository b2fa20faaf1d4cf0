import { getHealth, getReadiness } from './health-schema.ts';
import { getMetrics } from '../v1/server/status-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { createHearthErrorSerializer, toSnakeCase } from '../kit/errors/error-serializer.ts';
import { mount, type Api } from '../kit/mount.ts';

interface ServerApiOptions {
  readonly homeId?: string | undefined;
  /** Throws if the store does not respond. */
  readonly ping: () => Promise<void>;
  readonly metrics?: MetricsReader | undefined;
}

/** The metrics of the server as text. */
export interface MetricsReader {
  read(format: 'prometheus' | 'openmetrics'): Promise<string>;
}

const contentTypes = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export const serverErrors = createHearthErrorSerializer(toSnakeCase);

/** The health, readiness and metrics endpoints, and the error format for paths outside all APIs. */
export function createServerApi({ homeId, ping, metrics }: ServerApiOptions): Api {
  return {
    name: 'server',
    description: 'State of the server itself. Only its metrics require a token.',
    prefixes: ['/'],
    errorSerializer: serverErrors,
    mountRoutes: (app) => {
      mount(app, getHealth, async () => ({
        status: 'ok',
        ...omitUndefined({ home_id: homeId }),
      }));
      // While the server stops, a guard responds with `shutting_down`.
      mount(app, getReadiness, async () => {
        await ping();
        return { status: 'ready' };
      });
      mount(app, getMetrics, async ({ headers }) => {
        const isOpenMetrics = headers.accept?.includes('application/openmetrics-text') === true;
        const format = isOpenMetrics ? 'openmetrics' : 'prometheus';
        const text = (await metrics?.read(format)) ?? '';
        return new Response(text, { headers: { 'Content-Type': contentTypes[format] } });
      });
    },
  };
}
