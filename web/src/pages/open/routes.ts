import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

/**
 * Target of the links of `hearth open`. The code is in the fragment, which is not sent to servers, so no log contains
 * it.
 */
export const openRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/open',
  component: lazyRouteComponent(
    withTexts(['developer'], () => import('./open-page.tsx')),
    'OpenPage',
  ),
});
