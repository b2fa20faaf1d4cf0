import { createRootRoute } from '@tanstack/react-router';
import { Layout } from './layout.tsx';
import { NotFound } from './not-found.tsx';

/** Parent of the routes of all pages. */
export const rootRoute = createRootRoute({ component: Layout, notFoundComponent: NotFound });
