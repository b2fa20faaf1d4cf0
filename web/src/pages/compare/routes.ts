import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

export const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compare',
  component: lazyRouteComponent(
    withTexts(['compare'], () => import('./compare-page.tsx')),
    'ComparePage',
  ),
});
