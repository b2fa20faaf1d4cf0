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
  component: ChatPage,
});
