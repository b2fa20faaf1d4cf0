import type { AppEnvironment, HonoApp } from './app-environment.ts';
import type { Context } from 'hono';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorResponse, type ApiOf } from './errors/error-response.ts';
import { nearest } from '../../kernel/nearest.ts';
import { shorten } from './validation/shown-value.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Lists the methods that a path accepts. If an endpoint matches segment by segment, endpoints whose parameter takes the
 * rest of the path are ignored: `models/load` and `models/download/{job_id}/pause` are not models.
 */
export function endpointMethods(app: HonoApp, path: string): readonly string[] {
  const endpoints = methods.flatMap((method) => endpointsAt(app, method, path));
  const exact = endpoints.filter((endpoint) => !endpoint.path.includes('{.+}'));
  const matching = exact.length > 0 ? exact : endpoints;
  return methods.filter((method) => matching.some((endpoint) => endpoint.method === method));
}

/** Ignores middleware, which is registered for all methods; endpoints are registered for one. */
function endpointsAt(app: HonoApp, method: string, path: string) {
  const [handlers] = app.router.match(method, path);
  return handlers.map(([[, route]]) => route).filter((route) => route.method === method);
}

const noWebSocket =
  'Hearth has no WebSocket API, such as the SDKs of LM Studio use; its HTTP APIs stream too: ' +
  '/api/v1/chat, and /v1 for OpenAI clients.';

/**
 * Responds if a path has no endpoint, or none for the method. Clients that ask for a WebSocket show only the status, so
 * the log explains the reason too.
 */
export function createNotFoundHandler(
  app: HonoApp,
  apiOf: ApiOf,
): (context: Context<AppEnvironment>) => Response {
  return (context) => {
    const { errorSerializer } = apiOf(context);
    const requestId = context.get('requestId');
    const { path, method } = context.req;
    if (context.req.header('Upgrade')?.toLowerCase() === 'websocket') {
      context.get('logger').warn({ path: shorten(path) }, noWebSocket);
      const error = new HearthError('websocket_unsupported', noWebSocket);
      return errorResponse(error, errorSerializer, requestId);
    }
    const endpoints = new Set(
      app.routes.map((route) => route.path).filter((known) => !known.includes('*')),
    );
    // Clients of OpenAI's API are often set up without `/v1`. The web app has pages at some of these paths.
    const versioned = `/v1${path}`;
    const lacksVersion =
      endpoints.has(versioned) && endpointMethods(app, versioned).includes(method);
    const allowed = (lacksVersion ? [] : endpointMethods(app, path))
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
    const meant = lacksVersion ? versioned : nearest(path, endpoints);
    const hint = meant === undefined ? 'GET /openapi.json lists them.' : `Did you mean ${meant}?`;
    const message = `There is no endpoint ${shorten(path)}. ${hint}`;
    return errorResponse(new HearthError('not_found', message), errorSerializer, requestId);
  };
}
