import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';
import { ChatPage } from './chat-page.tsx';
import { wasLeft } from './temporary/temporary-chats.ts';

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/chat', replace: true });
  },
});

interface MessageSearch {
  /** Id of the response to show. */
  readonly message?: string;
  /** Text to search for in the conversation. */
  readonly find?: string;
}

interface ChatSearch {
  /** Key of the run of the first answer, or id of its response. */
  readonly run?: string;
  /** Present if the conversation is deleted when the user leaves it. */
  readonly temporary?: true;
  /** Id of the project for a new conversation. */
  readonly project?: string;
}

/** A new conversation. */
export const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  validateSearch: (search: Readonly<Record<string, unknown>>): ChatSearch => ({
    ...(typeof search['run'] === 'string' ? { run: search['run'] } : {}),
    ...(search['temporary'] === true ? { temporary: true } : {}),
    ...(typeof search['project'] === 'string' ? { project: search['project'] } : {}),
  }),
  component: ChatPage,
});

export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat/projects/$projectId',
  component: lazyRouteComponent(
    withTexts(['projects'], () => import('./projects/project-page.tsx')),
    'ProjectPage',
  ),
});

export const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat/$conversationId',
  beforeLoad: ({ params }) => {
    if (wasLeft(params.conversationId)) {
      throw redirect({ to: '/chat', search: { temporary: true }, replace: true });
    }
  },
  validateSearch: (search: Readonly<Record<string, unknown>>): MessageSearch => ({
    ...(typeof search['message'] === 'string' ? { message: search['message'] } : {}),
    ...(typeof search['find'] === 'string' ? { find: search['find'] } : {}),
  }),
  component: ChatPage,
});
