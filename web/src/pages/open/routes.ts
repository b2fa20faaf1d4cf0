import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

/** Target of the links of `hearth open`; the code is in the fragment, which no server or log gets. */
export const openRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/open',
  component: lazyRouteComponent(
    withTexts(['developer'], () => import('./open-page.tsx')),
    'OpenPage',
  ),
});
