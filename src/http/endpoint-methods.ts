import type { App } from './app-environment.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The methods that a path takes. An endpoint with exactly this path hides those whose parameter would take
 * it too: `models/load` is no model.
 */
export function endpointMethods(app: App, path: string): readonly string[] {
  const exact = app.routes.filter((route) => route.path === path).map(({ method }) => method);
  return methods.filter((method) =>
    exact.length > 0 ? exact.includes(method) : hasEndpoint(app, method, path),
  );
}

/** Middleware is registered for all methods, endpoints for one. */
function hasEndpoint(app: App, method: string, path: string): boolean {
  const [handlers] = app.router.match(method, path);
  return handlers.some(([[, route]]) => route.method === method);
}
