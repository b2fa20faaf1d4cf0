import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

const chatPage = lazyRouteComponent(() => import('./chat-page.tsx'), 'ChatPage');

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
  component: chatPage,
});

export const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat/$conversationId',
  component: chatPage,
});
