import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';

/** The API tokens. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => call('get', '/api/v1/tokens', {}, { signal }),
});

type TokenList = Awaited<ReturnType<typeof call<'get', '/api/v1/tokens'>>>;
export type TokenRecord = TokenList['tokens'][number];
