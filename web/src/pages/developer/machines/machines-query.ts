import { queryOptions } from '@tanstack/react-query';
import type { LinkList } from '../../../../../src/api/v1/links/link-schema.ts';
import { call } from '../../../api/client.ts';

export type LinkedMachine = LinkList['to'][number];
export type LinkingMachine = LinkList['from'][number];

/** The linked machines, in both directions. */
export const machinesQuery = queryOptions({
  queryKey: ['links'],
  queryFn: ({ signal }) => call('get', '/api/v1/links', {}, { signal }),
});
