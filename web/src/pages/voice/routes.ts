import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

export const voiceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/voice',
  component: lazyRouteComponent(
    withTexts(['voice'], () => import('./voice-page.tsx')),
    'VoicePage',
  ),
});
