import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call('get', '/api/v1/models', {}, { signal }),
});

export const statusQuery = queryOptions({
  queryKey: ['models', 'status'],
  queryFn: ({ signal }) => call('get', '/api/v1/status', {}, { signal }),
});

/** Facts from the files of a model. */
export const modelDetailsQuery = (model: string) =>
  queryOptions({
    queryKey: ['models', 'details', model],
    queryFn: ({ signal }) =>
      call('get', '/api/v1/models/details', { query: { model } }, { signal }),
  });

/** The caller and the caller's permissions. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call('get', '/api/v1/session', {}, { signal }),
  staleTime: 60_000,
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('get', '/api/v1/settings', {}, { signal }),
});
