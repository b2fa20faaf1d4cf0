import type { Context } from 'hono';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AppEnvironment, HonoApp } from './app-environment.ts';
import { endpointMethods } from './endpoint-methods.ts';
import { errorResponse } from './errors/error-response.ts';
import type { ApiOf } from './errors/handle-error.ts';
import { nearest } from '../../kernel/nearest.ts';
import { shorten } from './validation/shown-value.ts';

/** Responds to paths without an endpoint, and to paths whose endpoints have other methods. */
export function createNotFoundHandler(
  app: HonoApp,
  apiOf: ApiOf,
): (context: Context<AppEnvironment>) => Response {
  return (context) => {
    const { errorSerializer } = apiOf(context);
    const requestId = context.get('requestId');
    const { path, method } = context.req;
    const allowed = endpointMethods(app, path)
      .flatMap((candidate) => (candidate === 'GET' ? ['GET', 'HEAD'] : [candidate]))
      .join(', ');
    if (allowed !== '') {
      const message = `${shorten(path)} does not take ${shorten(method)}; it takes: ${allowed}.`;
      const response = errorResponse(
        new HearthError('method_not_allowed', message),
        errorSerializer,
        requestId,
      );
      response.headers.set('Allow', allowed);
      return response;
    }
    const meant = nearest(path, new Set(app.routes.map((route) => route.path)));
    const hint = meant === undefined ? 'GET /openapi.json lists them.' : `Did you mean ${meant}?`;
    const message = `There is no endpoint ${shorten(path)}. ${hint}`;
    return errorResponse(new HearthError('not_found', message), errorSerializer, requestId);
  };
}
