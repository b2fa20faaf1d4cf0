import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/base-path.ts';
import { chatRoute, conversationRoute, homeRoute, projectRoute } from './pages/chat/routes.ts';
import { compareRoute } from './pages/compare/routes.ts';
import { developerHomeRoute, developerRoute } from './pages/developer/routes.ts';
import { devicesRoute } from './pages/devices/routes.ts';
import { discoverRoute, importRoute, modelsRoute, repositoryRoute } from './pages/models/routes.ts';
import { openRoute } from './pages/open/routes.ts';
import { shortcutsRoute } from './pages/shortcuts/routes.ts';
import { voiceRoute } from './pages/voice/routes.ts';
import { PageError } from './shell/page-error.tsx';
import { rootRoute } from './shell/root-route.tsx';

/** The routes of all pages, one line per page. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  chatRoute,
  conversationRoute,
  projectRoute,
  modelsRoute,
  discoverRoute,
  repositoryRoute,
  importRoute,
  compareRoute,
  voiceRoute,
  developerHomeRoute,
  developerRoute,
  devicesRoute,
  openRoute,
  shortcutsRoute,
]);

export const router = createRouter({
  routeTree,
  ...(basePath === '' ? {} : { basepath: basePath }),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
