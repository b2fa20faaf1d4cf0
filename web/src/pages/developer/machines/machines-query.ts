import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { LinkList } from '../../../../../src/api/v1/links/link-schema.ts';
import { call } from '../../../api/client.ts';

export type LinkedMachine = LinkList['to'][number];

/** The port in the default value of `server.linkAddress`. */
export const defaultPort = 1235;

/** The linked machines, in both directions. */
export const machinesQuery = queryOptions({
  queryKey: ['links'],
  queryFn: ({ signal }) => call('get', '/api/v1/links', {}, { signal }),
});

/** Reloads the machines, and the models, since these may be on other machines. */
export async function refreshMachines(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries(machinesQuery),
    queries.invalidateQueries({ queryKey: ['models'] }),
  ]);
}

/** Formats `192.168.1.20:1235` or `[fe80::1]:1235`. */
export function withPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
