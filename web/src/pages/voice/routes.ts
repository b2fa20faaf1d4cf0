import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

export const voiceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/voice',
  component: lazyRouteComponent(() => import('./voice-page.tsx'), 'VoicePage'),
});
