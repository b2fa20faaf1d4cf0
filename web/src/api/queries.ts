import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call('get', '/api/v1/models', {}, { signal }),
});

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => call('get', '/health', {}, { signal }),
});
