import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { isStarter } from '../../../downloads/is-first-run.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';

export type Model = ResultOf<RouteOf<'get', '/api/v1/models'>>['models'][number];

/** The memory that loading a model would need; does not load it. */
export const estimateQuery = (model: string, contextLength: number | undefined) =>
  queryOptions({
    queryKey: ['models', 'estimate', model, contextLength],
    queryFn: ({ signal }) => {
      const body = {
        model,
        ...(contextLength === undefined ? {} : { context_length: contextLength }),
      };
      return call('post', '/api/v1/models/estimate', { body }, { signal });
    },
    staleTime: 60_000,
    retry: false,
  });

/** Sorts the models that can chat: loaded ones first, starter models last. */
export function chatModels(models: readonly Model[]): readonly Model[] {
  return models
    .filter(({ type }) => type === 'llm')
    .toSorted(
      (one, other) =>
        Number(isStarter(one)) - Number(isStarter(other)) ||
        Number(isLoaded(other)) - Number(isLoaded(one)),
    );
}

export function isLoaded({ loaded_instances: instances }: Model): boolean {
  return instances.length > 0;
}
