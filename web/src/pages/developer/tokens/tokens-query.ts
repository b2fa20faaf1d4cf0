import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';

/** The API tokens. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => call('get', '/api/v1/tokens', {}, { signal }),
});

export type TokenRecord = ResultOf<RouteOf<'get', '/api/v1/tokens'>>['tokens'][number];
