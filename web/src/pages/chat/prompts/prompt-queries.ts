import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';

export type StoredPrompt = ResultOf<RouteOf<'get', '/api/v1/prompts'>>['prompts'][number];

export const promptsQuery = queryOptions({
  queryKey: ['prompts'],
  queryFn: async ({ signal }) => {
    const { prompts } = await call('get', '/api/v1/prompts', {}, { signal });
    return prompts;
  },
});

interface PromptChange {
  readonly name: string;
  readonly text: string;
  /** Expected revision of the stored prompt, 0 for a new prompt. If absent, any revision is replaced. */
  readonly revision?: number;
}

export function useSavePrompts() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (prompts: readonly PromptChange[]) => {
      for (const { name: prompt, ...body } of prompts) {
        await call('put', '/api/v1/prompts/{prompt}', { params: { prompt }, body });
      }
    },
    onSettled: () => queries.invalidateQueries(promptsQuery),
  });
}

export function useDeletePrompt() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (prompt: string) =>
      call('delete', '/api/v1/prompts/{prompt}', { params: { prompt } }),
    onSettled: () => queries.invalidateQueries(promptsQuery),
  });
}
