import type { MiddlewareHandler } from 'hono';
import type { Settings } from '../../../settings/settings-table.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { getHealth } from '../../monitoring/health-schema.ts';
import type { AppEnvironment } from '../app-environment.ts';
import { identify, type Authenticator } from './principal.ts';
import { createHostGuard, originOf, createOriginGuard, preflightResponse } from './cross-site.ts';

export type GuardSettings = Pick<
  Settings,
  | 'server.host'
  | 'server.cors'
  | 'server.allowedHosts'
  | 'server.publicUrl'
  | 'auth.required'
  | 'limits.bodyBytes'
>;

const maxUrlLength = 8192;

/**
 * Checks every request before its endpoint handles it, cheapest checks first. `mount` then checks the permission, the
 * type and the body, with the principal that is set here.
 */
export function createGuards(
  settings: GuardSettings,
  authenticator: Authenticator,
): MiddlewareHandler<AppEnvironment> {
  const checkHost = createHostGuard({
    boundHost: settings['server.host'],
    allowedHosts: settings['server.allowedHosts'],
    publicUrl: settings['server.publicUrl'],
  });
  const classifyOrigin = createOriginGuard(settings['server.cors'], settings['server.publicUrl']);
  const isTokenRequired = settings['auth.required'];

  return async (context, next) => {
    const { req, env } = context;
    const { method, url } = req;
    const ownOrigin = originOf(url);
    const unknownHost = checkHost(ownOrigin.slice(ownOrigin.indexOf('//') + 2));
    if (unknownHost !== undefined) throw unknownHost;

    const origin = classifyOrigin(req.header('origin'), ownOrigin);
    if (origin.kind === 'foreign') throw origin.error;
    if (origin.kind === 'shared') {
      context.set('sharedOrigin', origin.origin);
      const isPreflight = req.header('access-control-request-method') !== undefined;
      if (method === 'OPTIONS' && isPreflight) {
        return preflightResponse(req.header('access-control-request-headers'));
      }
    }

    // A supervisor that checks /health must not kill a server that drains.
    if (env.isStopping === true && req.path !== getHealth.path) {
      throw new HearthError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
    }
    if (url.length > maxUrlLength) {
      throw new HearthError(
        'invalid_value',
        `The URL has ${url.length} characters; at most ${maxUrlLength} are allowed.`,
      );
    }
    const credentials = {
      authorization: req.header('authorization'),
      apiKey: req.header('x-api-key'),
    };
    const principal =
      env.batchCaller ?? (await identify(authenticator, credentials, isTokenRequired));
    if (principal instanceof HearthError) throw principal;
    context.set('principal', principal);
    return next();
  };
}
