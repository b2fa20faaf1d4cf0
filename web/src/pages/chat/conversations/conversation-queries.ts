import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, fetchFile } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';
import { pathTo } from './branches.ts';

type PathOfBranch = '/api/v1/conversations/{conversation_id}/responses';
export type ConversationPage = ResultOf<RouteOf<'get', '/api/v1/conversations'>>;
export type ConversationRecord = ConversationPage['conversations'][number];
export type ConversationTree = ResultOf<RouteOf<'get', '/api/v1/conversations/{conversation_id}'>>;
export type ConversationResponse = ResultOf<RouteOf<'get', PathOfBranch>>['responses'][number];
export type InputPart = ConversationResponse['input'][number];
export type OutputItem = ConversationResponse['output'][number];

/** Common prefix of all query keys for conversations, for `invalidateQueries`. */
export const conversationsKey = ['conversations'] as const;

/** A bit more than fits on a screen, since all rows of a page are rendered at once. */
const firstPage = 30;
const nextPages = 60;

/**
 * @param projectId Lists only the conversations of a project; `none` for conversations without one.
 * @param archived Lists archived conversations; a search finds both.
 */
export const conversationListQuery = (search: string, projectId?: string, archived = false) =>
  infiniteQueryOptions({
    queryKey: [...conversationsKey, 'list', search, projectId, archived],
    queryFn: ({ pageParam, signal }) =>
      call(
        'get',
        '/api/v1/conversations',
        {
          query: {
            limit: pageParam === null ? firstPage : nextPages,
            ...(search === '' ? { archived: `${archived}` } : { search, archived: 'any' }),
            ...(projectId === undefined ? {} : { project_id: projectId }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

export const treeQuery = (id: string) =>
  queryOptions({
    queryKey: [...conversationsKey, 'tree', id],
    queryFn: ({ signal }) =>
      call(
        'get',
        '/api/v1/conversations/{conversation_id}',
        { params: { conversation_id: id } },
        { signal },
      ),
  });

/** Cache of responses. They only change if this page changes them. */
const loaded = new Map<string, ConversationResponse>();
const maxLoaded = 5000;

/** Reloads the responses of the shown conversation after one of them was changed or deleted. */
export async function reloadResponses(): Promise<void> {
  loaded.clear();
  await queryClient.invalidateQueries({ queryKey: conversationsKey });
}

/** The responses of a branch, oldest first. The tree must contain the leaf. */
export const branchQuery = (tree: ConversationTree, leafId: string) => {
  const path = pathTo(tree.responses, leafId).filter(({ deleted }) => deleted !== true);
  const ids = path.map(({ response_id: id }) => id);
  return queryOptions({
    queryKey: [...conversationsKey, 'branch', tree.conversation_id, leafId, ids.length],
    queryFn: async ({ signal }) => {
      await loadResponses(tree.conversation_id, ids, signal);
      return ids.flatMap((id) => loaded.get(id) ?? []);
    },
    staleTime: Infinity,
  });
};

async function loadResponses(
  conversationId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const leaf = ids.findLast((id) => !loaded.has(id));
  if (leaf === undefined) return;
  if (loaded.size > maxLoaded) loaded.clear();
  let after: string | undefined;
  do {
    const page = await call(
      'get',
      '/api/v1/conversations/{conversation_id}/responses',
      {
        params: { conversation_id: conversationId },
        query: { leaf, limit: 100, images: 'reference', ...(after === undefined ? {} : { after }) },
      },
      { signal },
    );
    for (const response of page.responses) loaded.set(response.response_id, response);
    after = page.next_cursor ?? undefined;
  } while (after !== undefined && ids.some((id) => !loaded.has(id)));
}

/** The bytes of an image of a stored message. */
export const blobQuery = (sha256: string) =>
  queryOptions({
    queryKey: ['blob', sha256],
    queryFn: ({ signal }) => fetchFile(`/api/v1/blobs/${sha256}`, { signal }),
    staleTime: Infinity,
  });
