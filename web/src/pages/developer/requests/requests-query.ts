import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { useServerEvents } from '../../../api/server-events.ts';
import { keptRequests, withEvent } from './request-list.ts';

export const requestsQuery = queryOptions({
  queryKey: ['requests'],
  queryFn: ({ signal }) =>
    call('get', '/api/v1/requests', { query: { limit: keptRequests } }, { signal }),
});

/** Keeps the list of requests up to date with the events of the server. */
export function useRequestEvents(): void {
  const queries = useQueryClient();
  useServerEvents((event) => {
    queries.setQueryData(
      requestsQuery.queryKey,
      (list) => list && { requests: [...withEvent(list.requests, event)] },
    );
  });
}
