import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';
import { showError } from '../../../ui/toasts.ts';
import { conversationsKey } from '../conversations/conversation-queries.ts';

export type Project = ResultOf<RouteOf<'get', '/api/v1/projects/{project_id}'>>;

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/projects', {}, { signal })).projects,
  // Polls while files are indexed in the background.
  refetchInterval: ({ state }) =>
    state.data?.some(({ file_search: search }) => search === 'indexing') === true ? 2000 : false,
});

/** Reloads the projects in all parts of the page after a change. */
export const refreshProjects = () => queryClient.invalidateQueries(projectsQuery);

export async function createProject(name: string): Promise<Project> {
  const project = await call('post', '/api/v1/projects', { body: { name } });
  await refreshProjects();
  return project;
}

/** Moves conversations to a project, or out of their project; shows the error if one can't be moved. */
export async function moveConversations(
  ids: readonly string[],
  projectId: string | null,
): Promise<void> {
  try {
    for (const id of ids) {
      await call('patch', '/api/v1/conversations/{conversation_id}', {
        params: { conversation_id: id },
        body: { project_id: projectId },
      });
    }
  } catch (error) {
    showError(error);
  } finally {
    await queryClient.invalidateQueries({ queryKey: conversationsKey });
  }
}
