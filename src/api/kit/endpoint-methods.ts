import type { HonoApp } from './app-environment.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The methods that a path accepts. An endpoint that matches segment by segment hides those whose parameter takes
 * the rest of the path: `models/load` and `models/download/{job_id}/pause` are not models.
 */
export function endpointMethods(app: HonoApp, path: string): readonly string[] {
  const endpoints = methods.flatMap((method) => endpointsAt(app, method, path));
  const exact = endpoints.filter((endpoint) => !endpoint.path.includes('{.+}'));
  const matching = exact.length > 0 ? exact : endpoints;
  return methods.filter((method) => matching.some((endpoint) => endpoint.method === method));
}

/** Middleware is registered for all methods, endpoints for one. */
function endpointsAt(app: HonoApp, method: string, path: string) {
  const [handlers] = app.router.match(method, path);
  return handlers.map(([[, route]]) => route).filter((route) => route.method === method);
}
