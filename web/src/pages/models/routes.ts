import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { withTexts } from '../../texts/load-texts.ts';

/** The library. */
export const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: lazyRouteComponent(
    withTexts(['models'], () => import('./library/library-page.tsx')),
    'LibraryPage',
  ),
});

/** The search for models to download. The search words are in the URL. */
export const discoverRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models/discover',
  validateSearch: ({ search }: { readonly search?: unknown }): { readonly search?: string } =>
    typeof search === 'string' && search !== '' ? { search } : {},
  component: lazyRouteComponent(
    withTexts(['models'], () => import('./discover/discover-page.tsx')),
    'DiscoverPage',
  ),
});

/** A repository of the model hub or ModelScope. */
export const repositoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models/hub/$owner/$name',
  validateSearch: ({ source }: { readonly source?: unknown }): { readonly source?: 'modelscope' } =>
    source === 'modelscope' ? { source } : {},
  component: lazyRouteComponent(
    withTexts(['models'], () => import('./discover/repository-page.tsx')),
    'RepositoryPage',
  ),
});

export const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models/import',
  component: lazyRouteComponent(
    withTexts(['models'], () => import('./import/import-page.tsx')),
    'ImportPage',
  ),
});
