import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

export const developerHomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/developer',
  beforeLoad: () => {
    throw redirect({ to: '/developer/$part', params: { part: 'overview' }, replace: true });
  },
});

export const developerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/developer/$part',
  component: lazyRouteComponent(
    withTexts(['developer', 'models'], () => import('./developer-page.tsx')),
    'DeveloperPage',
  ),
});
