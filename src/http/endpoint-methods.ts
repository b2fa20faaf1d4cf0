import type { App } from './app-environment.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The methods that a path takes. An endpoint with just these parts hides those whose parameter would take
 * the whole rest of the path: `models/load` is no model, nor is `models/download/{job_id}/pause`.
 */
export function endpointMethods(app: App, path: string): readonly string[] {
  const endpoints = methods.flatMap((method) => endpointsAt(app, method, path));
  const exact = endpoints.filter((endpoint) => !endpoint.path.includes('{.+}'));
  const meant = exact.length > 0 ? exact : endpoints;
  return methods.filter((method) => meant.some((endpoint) => endpoint.method === method));
}

/** Middleware is registered for all methods, endpoints for one. */
function endpointsAt(app: App, method: string, path: string) {
  const [handlers] = app.router.match(method, path);
  return handlers.map(([[, route]]) => route).filter((route) => route.method === method);
}
