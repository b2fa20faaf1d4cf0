import type { Context } from 'hono';
import { HearthError } from '../contract/errors.ts';
import type { App, AppEnvironment } from './app-environment.ts';
import { endpointMethods } from './endpoint-methods.ts';
import { errorResponse } from './error-response.ts';
import { nearest } from '../nearest.ts';
import { shorten } from './shown-value.ts';

/** Answers a path that no endpoint has, and one that has endpoints with other methods only. */
export function createNotFoundHandler(app: App): (context: Context<AppEnvironment>) => Response {
  return (context) => {
    const { path, method } = context.req;
    const allowed = endpointMethods(app, path)
      .flatMap((candidate) => (candidate === 'GET' ? ['GET', 'HEAD'] : [candidate]))
      .join(', ');
    if (allowed !== '') {
      const message = `${shorten(path)} does not take ${shorten(method)}; it takes: ${allowed}.`;
      const response = errorResponse(new HearthError('method_not_allowed', message), path);
      response.headers.set('Allow', allowed);
      return response;
    }
    const meant = nearest(path, new Set(app.routes.map((route) => route.path)));
    const hint = meant === undefined ? 'GET /openapi.json lists them.' : `Did you mean ${meant}?`;
    const message = `There is no endpoint ${shorten(path)}. ${hint}`;
    return errorResponse(new HearthError('not_found', message), path);
  };
}
