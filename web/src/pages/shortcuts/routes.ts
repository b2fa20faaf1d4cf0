import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

export const shortcutsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shortcuts',
  component: lazyRouteComponent(() => import('./shortcuts-page.tsx'), 'ShortcutsPage'),
});
