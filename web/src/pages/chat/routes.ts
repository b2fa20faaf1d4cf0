import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { ChatPage } from './chat-page.tsx';

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/chat', replace: true });
  },
});

interface MessageSearch {
  /** Response to show. */
  readonly message?: string;
  /** Text to find in it. */
  readonly find?: string;
}

/** A new conversation. */
export const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly run?: string } =>
    typeof search['run'] === 'string' ? { run: search['run'] } : {},
  component: ChatPage,
});

export const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat/$conversationId',
  validateSearch: (search: Readonly<Record<string, unknown>>): MessageSearch => ({
    ...(typeof search['message'] === 'string' ? { message: search['message'] } : {}),
    ...(typeof search['find'] === 'string' ? { find: search['find'] } : {}),
  }),
  component: ChatPage,
});
